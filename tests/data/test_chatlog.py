import contextlib
import io
import json
import re
import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillmill.data.chatlog import LINE_KEYS, load_chatlog
from skillmill.errors import InputError
from skillmill.types import CATEGORIES, Turn
from tests.conftest import REPOSITORY

DOCUMENT = (REPOSITORY / "docs" / "chatlog.md").read_text(encoding="utf-8")


def turn(text="words", speaker="Ines", session=1, conversation="c", **more):
    row = {"conversation": conversation, "session": session, "speaker": speaker}
    return {**row, "text": text, **more}


def ask(text="When?", conversation="c", **more):
    row = {"type": "question", "conversation": conversation, "text": text}
    return {**row, "category": 2, "answer": "in May", "evidence": ["D1:1"], **more}


@pytest.fixture
def load(tmp_path):
    def loader(*lines):
        path = tmp_path / "log.jsonl"
        rows = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return load_chatlog(path)

    return loader


def counts(report):
    return report.found, report.loaded, report.warned, report.failed


def where(report):
    return [(problem.line, problem.code) for problem in report.problems]


def block(language):
    return re.search(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)[1]


def test_the_documented_example_prints_what_the_document_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "garden.jsonl").write_text(block("jsonl"), encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block("python"), "chatlog.md", "exec"), {})
    assert printed.getvalue() == block("text")


def test_the_document_names_every_key_category_and_code(load):
    for key in LINE_KEYS["turn"] | LINE_KEYS["question"]:
        assert f"| `{key}` |" in DOCUMENT
    for number, name in CATEGORIES.items():
        assert f"| {number} | `{name}` |" in DOCUMENT
    _, _, report = load(
        "{",
        turn("a ", date="soon", extra=1),
        turn("b\ud83d", date="later", id=[]),
        turn("c", id="D1:1"),
        turn("", session=2),
        turn("d", session=3),
        ask(answer=1, evidence=["D1:01", "D:1:1", "D1:1;D9"]),
        ask(answer=None, evidence=[]),
        ask(category=7),
        ask(category=5, trap="no"),
    )
    assert {problem.code for problem in report.problems} == {
        *("line-unusable", "turn-unusable", "turn-id-repeated", "question-unusable"),
        *("evidence-unknown-turn", "evidence-joined", "evidence-zero-padded"),
        *("evidence-extra-colon", "evidence-empty", "evidence-repeated"),
        *("answer-missing", "answer-integer", "answer-and-trap", "question-repeated"),
        *("date-unknown", "date-differs", "date-missing", "field-ignored"),
        *("key-unknown", "lone-surrogate", "outer-blanks"),
    }
    for problem in report.problems:
        assert re.search(rf"`{problem.code}`.*\| {problem.severity} \|", DOCUMENT)


def test_one_turn_is_a_conversation(load):
    conversations, questions, report = load(turn("Hello."))
    (conversation,) = conversations
    assert (conversation.id, conversation.speakers) == ("c", ("Ines",))
    assert conversation.sessions[0].turns == (Turn("D1:1", "Ines", "Hello."),)
    assert (questions, counts(report)) == ([], (1, 1, 0, 0))
    assert where(report) == [(None, "date-missing")]


def test_a_log_without_a_turn_is_refused_with_the_first_fault(load):
    with pytest.raises(InputError, match=r"got none in 1 lines \(line 1: .*turns"):
        load(ask())
    with pytest.raises(InputError, match=r"none in 2 lines \(line 2: .*'session'"):
        load("", turn(session=0), "[]")
    with pytest.raises(InputError, match="an empty file"):
        load("", " ")


def test_lines_of_several_conversations_and_sessions_may_be_mixed(load):
    conversations, questions, _ = load(
        ask("Who?", evidence=["D10:2"]),
        turn("1", session=10),
        turn("2", conversation="b"),
        turn("3", session=2),
        turn("4", session=10),
        ask("What?", conversation="b"),
        ask("Where?", evidence=["D2:1"]),
    )
    assert [conversation.id for conversation in conversations] == ["c", "b"]
    said = [
        (session.number, [turn.text for turn in session.turns])
        for session in conversations[0].sessions
    ]
    assert said == [(2, ["3"]), (10, ["1", "4"])]
    assert [question.id for question in questions] == ["c/q0", "b/q0", "c/q1"]
    assert [question.evidence for question in questions] == [
        ("D10:2",),
        ("D1:1",),
        ("D2:1",),
    ]


def test_a_type_may_be_written_and_ids_may_be_numbers(load):
    conversations, questions, _ = load(
        turn("a", type="turn", conversation=7, id=12),
        ask(conversation="7", evidence=[12]),
    )
    assert conversations[0].id == "7"
    assert questions[0].evidence == ("12",)


def test_the_first_date_of_a_session_counts(load):
    conversations, _, report = load(
        turn("a"),
        turn("b", date=" 2024-03-02T09:15 "),
        turn("c", date="2024-03-02T09:15"),
        turn("d", date="2024-03-03"),
        turn("e", date="2024-03-04"),
    )
    session = conversations[0].sessions[0]
    assert (session.date_text, session.started) == (
        "2024-03-02T09:15",
        "2024-03-02T09:15",
    )
    assert where(report) == [(4, "date-differs")]
    assert counts(report) == (5, 5, 0, 0)


def test_a_date_in_an_unknown_form_is_a_warning_at_its_line(load):
    conversations, _, report = load(turn("a"), turn("b", date="last spring"))
    session = conversations[0].sessions[0]
    assert (session.date_text, session.started) == ("last spring", None)
    assert where(report) == [(2, "date-unknown")]
    assert counts(report) == (2, 1, 1, 0)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{broken", "line-unusable"),
        ("3", "line-unusable"),
        ("[" * 50_000, "line-unusable"),
        ('{"type": "note"}', "line-unusable"),
        ('{"type": null, "conversation": "c"}', "line-unusable"),
        (turn(conversation=None), "line-unusable"),
        (turn(session=None), "turn-unusable"),
        (turn(session="1"), "turn-unusable"),
        (turn(session=True), "turn-unusable"),
        (turn(session=0), "turn-unusable"),
        (turn(session=2**70), "turn-unusable"),
        (turn(speaker=""), "turn-unusable"),
        (turn(""), "turn-unusable"),
        (turn(id="D1:1"), "turn-id-repeated"),
        (ask(""), "question-unusable"),
        (ask(category="difficult"), "question-unusable"),
        (ask(conversation="unheard"), "question-unusable"),
    ],
)
def test_a_bad_line_is_failed_with_its_number(load, line, code):
    conversations, _, report = load(turn(date="2024-03-02"), "", line)
    assert len(conversations[0].sessions[0].turns) == 1
    assert counts(report) == (2, 1, 0, 1)
    assert where(report) == [(3, code)]


def test_an_unusable_turn_keeps_its_place_in_the_default_ids(load):
    conversations, _, _ = load(turn("a"), turn(""), turn("c"))
    ids = [turn.id for turn in conversations[0].sessions[0].turns]
    assert ids == ["D1:1", "D1:3"]


def test_an_unusable_question_keeps_its_place_in_the_ids(load):
    _, questions, _ = load(turn(), ask(category=9), ask("Where?"))
    assert [question.id for question in questions] == ["c/q1"]


def test_an_unknown_key_is_reported_at_its_first_line_only(load):
    day = "2024-03-02"
    _, _, report = load(
        turn("a", date=day), turn("b", captoin="x"), turn("c", captoin="y"), ask()
    )
    assert where(report) == [(2, "key-unknown")]
    assert "'captoin'" in report.problems[0].message


def test_two_speakers_with_one_name_are_one_speaker(load):
    conversations, _, _ = load(turn("Hi.", "Sam"), turn("Hi Sam.", " Sam "))
    assert conversations[0].speakers == ("Sam",)
    assert len(conversations[0].sessions[0].turns) == 2


def test_any_script_comes_through_u37(load):
    conversations, questions, report = load(
        turn("ذهبت إلى السوق أمس.", "\u200fسمير", date="2024-03-02"),
        turn("咖啡馆在哪里\u2028?", "小明"),
        turn("cafe\u0301 \U0001f331 \ud83d", "Ines"),
        ask("متى ذهب سمير؟", answer="أمس"),
    )
    said = conversations[0].sessions[0].turns
    assert said[0] == Turn("D1:1", "\u200fسمير", "ذهبت إلى السوق أمس.")
    assert said[1].text == "咖啡馆在哪里\u2028?"
    assert said[2].text == "café \U0001f331 \ufffd"
    assert (questions[0].text, questions[0].answer) == ("متى ذهب سمير؟", "أمس")
    assert where(report) == [(3, "lone-surrogate")]


def test_line_ends_of_other_systems_and_unescaped_separators_are_read(tmp_path):
    path = tmp_path / "log.jsonl"
    line = json.dumps(turn("a\u2028b\x85c"), ensure_ascii=False)
    path.write_bytes(f"\ufeff{line}\r\n{line}".encode())
    conversations, _, report = load_chatlog(path)
    assert counts(report) == (2, 2, 0, 0)
    texts = [turn.text for turn in conversations[0].sessions[0].turns]
    assert texts == ["a\u2028b\x85c"] * 2


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load_chatlog(tmp_path / "log.jsonl")


def test_a_hundred_thousand_turns_load_in_seconds(tmp_path):
    path = tmp_path / "log.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(100_000):
            day = f"2024-03-02T10:{number % 60:02}"
            row = turn("some words" * 5, session=1 + number // 50_000, date=day, odd=1)
            file.write(json.dumps(row) + "\n")
    start = time.perf_counter()
    conversations, _, report = load_chatlog(path)
    assert time.perf_counter() - start < 30
    assert report.found == 100_000
    assert conversations[0].sessions[1].turns[-1].id == "D2:50000"
    assert Counter(problem.code for problem in report.problems) == {
        "date-differs": 2,
        "key-unknown": 1,
    }


KEYS = sorted(LINE_KEYS["turn"] | LINE_KEYS["question"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 6),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["turn", "question", "c", "D1:1", "8 May 2023", "\ud83d"]),
)
LINES = st.one_of(
    st.text(max_size=20),
    st.dictionaries(
        st.sampled_from([*KEYS, "odd"]),
        st.one_of(SCALARS, st.lists(SCALARS, max_size=3)),
        max_size=8,
    ),
    st.dictionaries(st.sampled_from(KEYS), SCALARS, max_size=2).map(
        lambda fields: {**turn(), **fields}
    ),
    st.dictionaries(st.sampled_from(KEYS), SCALARS, max_size=2).map(
        lambda fields: {**ask(), **fields}
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, max_size=8))
def test_any_lines_end_in_a_result_or_an_input_error(tmp_path, lines):
    path = tmp_path / "log.jsonl"
    rows = [
        line.replace("\ud83d", "") if isinstance(line, str) else json.dumps(line)
        for line in lines
    ]
    path.write_bytes("\n".join(rows).encode("utf-8", "surrogatepass"))
    try:
        conversations, questions, report = load_chatlog(path)
    except InputError as error:
        str(error).encode()
        return
    turns = sum(len(part.turns) for talk in conversations for part in talk.sessions)
    assert turns >= 1
    assert report.usable == turns + len(questions)
    repr((conversations, questions, report)).encode()


def test_a_folder_is_read_as_one_log_in_the_order_of_names(tmp_path):
    turn = {"conversation": "c", "session": 1, "speaker": "Ana", "text": "Hello."}
    question = {"type": "question", "conversation": "c", "text": "Who?"}
    (tmp_path / "b.jsonl").write_text(json.dumps(turn | {"text": "Again.", "id": "x"}))
    (tmp_path / "a.jsonl").write_text(
        "\n".join(
            json.dumps(row) for row in (turn | {"id": "x"}, question | {"category": 9})
        )
    )
    conversations, questions, report = load_chatlog(tmp_path)
    assert [t.text for t in conversations[0].sessions[0].turns] == ["Hello."]
    assert questions == []
    failed = [p for p in report.problems if p.severity == "failed"]
    assert [(p.file.rsplit("/", 1)[-1], p.line) for p in failed] == [
        ("a.jsonl", 2),
        ("b.jsonl", 1),
    ]
    assert "a.jsonl:1" in failed[1].message


def test_a_folder_without_logs_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"expected a folder with .jsonl files"):
        load_chatlog(tmp_path)
