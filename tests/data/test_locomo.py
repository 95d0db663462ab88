import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillmill.data.locomo import load_locomo
from skillmill.errors import InputError
from skillmill.types import Turn
from tests.conftest import DATA

real_data = pytest.mark.skipif(
    not (DATA / "locomo").exists(),
    reason="real data not present: set SKILLMILL_DATA to a folder holding locomo/",
)


def said(turn, speaker="Ines", text="words", **more):
    return {"speaker": speaker, "dia_id": turn, "text": text, **more}


def asked(question="When?", category=2, evidence=("D1:1",), **more):
    row = {"question": question, "category": category, "evidence": list(evidence)}
    return {"answer": "in May", **row, **more}


def sample(name="conv-1", qa=(), **conversation):
    talk = {
        "speaker_a": "Ines",
        "speaker_b": "Tom",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [said("D1:1"), said("D1:2", "Tom")],
    }
    return {"sample_id": name, "conversation": {**talk, **conversation}, "qa": list(qa)}


@pytest.fixture
def load(tmp_path):
    def loader(*samples):
        path = tmp_path / "talks.json"
        path.write_text(json.dumps(samples), encoding="utf-8")
        return load_locomo(path)

    return loader


def codes(report):
    return [problem.code for problem in report.problems]


def counts(report):
    return report.found, report.loaded, report.warned, report.failed


def test_a_clean_sample_loads_without_remark(load):
    conversations, questions, report = load(sample(qa=[asked()]))
    (conversation,) = conversations
    assert conversation.id == "conv-1"
    assert conversation.speakers == ("Ines", "Tom")
    (session,) = conversation.sessions
    assert (session.number, session.date_text) == (1, "1:56 pm on 8 May, 2023")
    assert session.started == "2023-05-08T13:56"
    assert session.turns == (
        Turn("D1:1", "Ines", "words"),
        Turn("D1:2", "Tom", "words"),
    )
    assert [question.id for question in questions] == ["conv-1/q0"]
    assert counts(report) == (1, 1, 0, 0)
    assert report.problems == ()


def test_sessions_are_in_numeric_order_and_orphan_dates_make_none_u25(load):
    conversations, _, report = load(
        sample(
            session_10=[said("D10:2"), said("D10:1")],
            session_10_date_time="2023/07/01 (Sat) 10:00",
            session_2=[said("D2:1")],
            session_2_date_time="2023-06-01",
            session_11_date_time="2023-08-01",
        )
    )
    sessions = conversations[0].sessions
    assert [session.number for session in sessions] == [1, 2, 10]
    assert [turn.id for turn in sessions[2].turns] == ["D10:2", "D10:1"]
    (orphan,) = report.problems
    assert (orphan.severity, orphan.code) == ("info", "orphan-date")
    assert orphan.record == "conv-1"
    assert "session_11_date_time" in orphan.message


def test_captions_are_kept_and_addresses_are_not(load):
    photo = said("D1:1", text="", blip_caption="a leek", img_url=["x"], query="leek")
    conversations, _, report = load(sample(session_1=[photo]))
    assert conversations[0].sessions[0].turns == (Turn("D1:1", "Ines", "", "a leek"),)
    assert report.problems == ()


def test_odd_evidence_is_reported_with_conversation_question_and_id_u19(load):
    turns = [said(f"D1:{n}") for n in range(1, 12)]
    _, questions, report = load(
        sample(
            session_1=turns,
            qa=[
                asked(evidence=["D1:2; D1:5", "D1:07", "D", "D:1:11", "D99:1"]),
                asked("Where?", evidence=[]),
            ],
        )
    )
    assert questions[0].evidence == ("D1:2", "D1:5", "D1:7", "D1:11")
    assert questions[1].evidence == ()
    assert counts(report) == (2, 0, 2, 0)
    unknown = [
        (problem.record, problem.message)
        for problem in report.problems
        if problem.code == "evidence-unknown-turn"
    ]
    assert [record for record, _ in unknown] == ["conv-1/q0", "conv-1/q0"]
    assert "'D'" in unknown[0][1]
    assert "'D99:1'" in unknown[1][1]


def test_integer_answers_become_text_u23(load):
    _, questions, report = load(sample(qa=[asked(answer=2022)]))
    assert (questions[0].answer, questions[0].answer_type) == ("2022", "integer")
    assert counts(report) == (1, 1, 0, 0)
    assert codes(report) == ["answer-integer"]


def test_five_questions_of_five_categories_keep_their_numbers_u20(load):
    rows = [asked(f"Question {n}?", category=n) for n in range(1, 6)]
    _, questions, _ = load(sample(qa=rows))
    assert [question.category for question in questions] == [1, 2, 3, 4, 5]


def test_an_unusable_question_is_failed_and_leaves_the_ids_of_others(load):
    _, questions, report = load(sample(qa=[asked(category=9), asked()]))
    assert [question.id for question in questions] == ["conv-1/q1"]
    assert counts(report) == (2, 1, 0, 1)
    assert [(p.record, p.code) for p in report.problems] == [
        ("conv-1/q0", "question-unusable")
    ]


def test_text_is_normalised_and_mended_once_u37(load):
    conversations, questions, report = load(
        sample(
            qa=[asked("Wo ist das Cafe\u0301? ")],
            session_1=[
                said("D1:1", "\u202bسمير", " cafe\u0301\ud83d "),
                said("D1:2", "小明", "你好"),
            ],
            speaker_a="\u202bسمير",
            speaker_b="小明",
        )
    )
    first, second = conversations[0].sessions[0].turns
    assert (first.speaker, first.text) == ("\u202bسمير", "café\ufffd")
    assert (second.speaker, second.text) == ("小明", "你好")
    assert questions[0].text == "Wo ist das Café?"
    assert sorted(codes(report)) == ["lone-surrogate", "outer-blanks", "outer-blanks"]
    "".join(problem.message for problem in report.problems).encode()


def test_unusable_turns_are_reported_with_their_place(load):
    conversations, _, report = load(
        sample(
            session_1=["hello", said("D1:2"), said("D1:2", "Tom"), said(None)],
            session_2=[{}],
            session_3=[],
            session_4={},
            session_05=[said("D5:1")],
        )
    )
    (session,) = conversations[0].sessions
    assert [turn.id for turn in session.turns] == ["D1:2", "D1:4"]
    assert sorted(codes(report)) == [
        "session-empty",
        "session-unusable",
        "session-unusable",
        "turn-id-repeated",
        "turn-unusable",
        "turn-unusable",
    ]
    assert any(
        problem.message.startswith("session 1, turn 1:") for problem in report.problems
    )


def test_a_date_that_is_missing_or_unknown_is_reported(load):
    conversations, _, report = load(
        sample(
            session_1_date_time="one fine day",
            session_2=[said("D2:1")],
        )
    )
    first, second = conversations[0].sessions
    assert (first.date_text, first.started) == ("one fine day", None)
    assert (second.date_text, second.started) == (None, None)
    assert codes(report) == ["date-missing", "date-unknown"]
    assert "session 1" in report.problems[1].message


def test_two_speakers_of_one_name_are_taken_for_one(load):
    turns = [said("D1:1", "Tom"), said("D1:2", "Tom")]
    conversations, _, report = load(sample(speaker_a="Tom", session_1=turns))
    assert conversations[0].speakers == ("Tom",)
    assert codes(report) == ["speakers-same-name"]


def test_a_third_speaker_is_added_and_reported(load):
    conversations, _, report = load(sample(session_1=[said("D1:1", "Uma")]))
    assert conversations[0].speakers == ("Ines", "Tom", "Uma")
    assert codes(report) == ["speaker-undeclared"]


def test_a_sample_without_questions_loads(load):
    bare = {**sample(), "qa": None}
    conversations, questions, report = load(bare)
    assert (len(conversations), questions, counts(report)) == (1, [], (0, 0, 0, 0))
    assert codes(report) == ["questions-missing"]


@pytest.mark.parametrize(
    ("bad", "record", "failed"),
    [
        (None, "sample 1", 1),
        ({"conversation": {}, "qa": [1, 2]}, "sample 1", 2),
        ({"sample_id": "x", "qa": [asked(), asked(), asked()]}, "x", 3),
        ({"sample_id": "x", "conversation": []}, "x", 1),
        (sample("x", session_1=[]), "x", 1),
    ],
)
def test_a_lost_sample_counts_its_questions_as_failed(load, bad, record, failed):
    conversations, _, report = load(bad, sample(qa=[asked()]))
    assert [conversation.id for conversation in conversations] == ["conv-1"]
    assert counts(report) == (failed + 1, 1, 0, failed)
    lost = [problem for problem in report.problems if problem.severity == "failed"]
    assert [(problem.record, problem.code) for problem in lost] == [
        (record, "sample-unusable")
    ]


def test_a_folder_is_read_by_file_name_and_other_files_are_left_alone(tmp_path):
    for file, name in [("b.json", "one"), ("a.json", "two")]:
        (tmp_path / file).write_text(json.dumps([sample(name)]), encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no JSON", encoding="utf-8")
    conversations, _, _ = load_locomo(tmp_path)
    assert [conversation.id for conversation in conversations] == ["two", "one"]


def test_an_id_in_two_files_is_refused_and_both_are_named(tmp_path):
    for file in ("a.json", "b.json"):
        (tmp_path / file).write_text(json.dumps([sample()]), encoding="utf-8")
    with pytest.raises(InputError, match=r"'conv-1' is in .*a\.json and in .*b\.json"):
        load_locomo(tmp_path)


def test_an_id_twice_in_one_file_is_refused(load):
    with pytest.raises(InputError, match=r"'conv-1' is twice in .*talks\.json"):
        load(sample(), sample())


def test_a_folder_without_json_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected a folder with \.json files"):
        load_locomo(tmp_path)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"rows": []}', r"expected a list .* an object with the keys \['rows'\]"),
        ("3", "expected a list .* got 3"),
        ("[]", "the list is empty"),
        ("[1, 2]", "sample 1: expected an object, got 1"),
        ('[{"a": 1}]', "expected an id under 'sample_id', got None"),
        ("[{]", "line 1, column 3: expected JSON"),
        ("", "an empty file"),
    ],
)
def test_a_file_that_is_not_locomo_is_refused(tmp_path, content, fault):
    path = tmp_path / "talks.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=fault):
        load_locomo(path)


def test_a_missing_path_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        load_locomo(tmp_path / "talks.json")


KEYS = [
    *("sample_id", "conversation", "qa", "session_1", "session_2", "text", "speaker"),
    *("session_1_date_time", "speaker_a", "dia_id", "blip_caption", "question"),
    *("answer", "adversarial_answer", "category", "evidence", "D1:1"),
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 6),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from([*KEYS, "\ud83d", "D1:01", "8 May 2023"]),
)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    ),
    max_leaves=20,
)


@st.composite
def damaged_samples(draw):
    """Samples in which any field of any level may be anything."""

    def field(usual):
        return draw(ANY_JSON) if draw(st.integers(0, 7)) == 7 else usual

    turn = {key: field(value) for key, value in said("D1:1").items()}
    question = {key: field(value) for key, value in asked().items()}
    talk = {
        "session_1": field([turn, said("D1:2")]),
        "session_1_date_time": field("8 May 2023"),
        "speaker_a": field("Ines"),
    }
    return {
        "sample_id": field(f"c{draw(st.integers(0, 9))}"),
        "conversation": field(talk),
        "qa": field([question, asked()]),
    }


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(ANY_JSON, st.lists(damaged_samples(), max_size=3)))
def test_any_json_ends_in_a_result_or_an_input_error(tmp_path, value):
    path = tmp_path / "talks.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    try:
        conversations, questions, report = load_locomo(path)
    except InputError as error:
        str(error).encode()
        return
    assert conversations
    assert report.usable == len(questions)
    turns = {
        (talk.id, turn.id)
        for talk in conversations
        for session in talk.sessions
        for turn in session.turns
    }
    for question in questions:
        assert {(question.conversation, turn) for turn in question.evidence} <= turns
    repr((conversations, questions, report)).encode()


@real_data
class TestTheDevelopmentFile:
    @pytest.fixture(scope="class")
    @staticmethod
    def loaded():
        return load_locomo(DATA / "locomo" / "locomo10_dev.json")

    def test_its_size_is_the_documented_one(self, loaded):
        conversations, questions, _ = loaded
        sessions = [part for talk in conversations for part in talk.sessions]
        turns = [turn for session in sessions for turn in session.turns]
        assert [talk.id for talk in conversations] == [
            f"conv-{number}" for number in (26, 30, 42, 43, 47, 48, 50)
        ]
        assert (len(sessions), len(turns), len(questions)) == (187, 4035, 1439)
        assert sum(turn.caption is not None for turn in turns) == 847
        assert all(len(talk.speakers) == 2 for talk in conversations)
        assert len({question.id for question in questions}) == 1439

    def test_the_questions_per_category_are_the_documented_ones_u20(self, loaded):
        categories = Counter(question.category for question in loaded[1])
        assert categories == {1: 184, 2: 237, 3: 68, 4: 620, 5: 330}

    def test_every_session_has_a_time_and_times_rise(self, loaded):
        for talk in loaded[0]:
            times = [session.started for session in talk.sessions]
            assert None not in times
            assert times == sorted(times)

    def test_answers_are_text_and_traps_are_no_answers_u23(self, loaded):
        questions = loaded[1]
        types = Counter(question.answer_type for question in questions)
        assert types == {"string": 1105, "null": 328, "integer": 6}
        assert all(
            question.trap if question.category == 5 else question.answer
            for question in questions
        )
        gold = [q.answer for q in questions if q.category == 5 and q.answer]
        assert gold == ["No", "No"]

    def test_every_irregularity_is_counted_u19_u25(self, loaded):
        report = loaded[2]
        problems = Counter(
            (problem.severity, problem.code) for problem in report.problems
        )
        assert problems == {
            ("info", "answer-and-trap"): 2,
            ("info", "answer-integer"): 6,
            ("info", "evidence-repeated"): 1,
            ("info", "orphan-date"): 16,
            ("info", "outer-blanks"): 9,  # 7 conversations, a question, an answer
            ("info", "question-repeated"): 12,
            ("warning", "evidence-empty"): 4,
            ("warning", "evidence-extra-colon"): 1,
            ("warning", "evidence-joined"): 1,
            ("warning", "evidence-unknown-turn"): 3,
            ("warning", "evidence-zero-padded"): 1,
        }
        assert counts(report) == (1439, 1429, 10, 0)
        stripped = [
            int(problem.message.split()[-2])
            for problem in report.problems
            if problem.code == "outer-blanks" and "/" not in problem.record
        ]
        assert sum(stripped) == 149

    def test_its_references_resolve(self, loaded):
        """1,952 resolve as written; mending adds two, one and one; one is a repeat."""
        references = sum(len(question.evidence) for question in loaded[1])
        assert references == 1952 + 2 + 1 + 1 - 1
        assert sum(not question.evidence for question in loaded[1]) == 4

    def test_what_names_no_turn_is_located(self, loaded):
        found = {
            (problem.record, problem.message.split("'")[1])
            for problem in loaded[2].problems
            if problem.code == "evidence-unknown-turn"
        }
        assert found == {
            ("conv-42/q58", "D10:19"),
            ("conv-42/q88", "D"),
            ("conv-47/q38", "D4:36"),
        }


def test_turns_that_are_left_out_count_as_failed(tmp_path):
    """A figure over what is left must not say that nothing failed."""
    talk = {
        "speaker_a": "Ana", "speaker_b": "Bo",
        "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "Hello."},
                      {"speaker": "Bo", "dia_id": "D1:2"}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_2": "lost",
        "session_2_date_time": "1:56 pm on 9 May, 2023",
    }  # fmt: skip
    file = tmp_path / "x.json"
    asked = [{"question": "Who?", "answer": "Ana", "category": 4, "evidence": ["D1:1"]}]
    file.write_text(json.dumps([{"sample_id": "s", "conversation": talk, "qa": asked}]))
    _, questions, report = load_locomo(file)
    assert len(questions) == 1
    assert (report.found, report.failed) == (3, 2)
