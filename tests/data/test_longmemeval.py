import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillmill.data.longmemeval import load_longmemeval, variant_of
from skillmill.errors import InputError
from skillmill.types import Turn
from tests.conftest import DATA

real_data = pytest.mark.skipif(
    not (DATA / "longmemeval").exists(),
    reason="real data not present: set SKILLMILL_DATA to a folder with longmemeval/",
)

DATES = ["2023/05/20 (Sat) 08:00", "2023/05/21 (Sun) 19:05"]


def said(content="words", role="user", **more):
    return {"role": role, "content": content, **more}


def instance(name="0000abcd", **changes):
    row = {
        "question_id": name,
        "question_type": "multi-session",
        "question": "How many goldfish do I keep?",
        "answer": "three",
        "question_date": "2023/06/02 (Fri) 09:30",
        "haystack_dates": list(DATES),
        "haystack_session_ids": ["answer_1", "ultrachat_1"],
        "haystack_sessions": [
            [
                said("My two goldfish are hungry.", has_answer=True),
                said("Feed them.", "assistant", has_answer=False),
            ],
            [said("Here is the recipe again.", "assistant")],
        ],
        "answer_session_ids": ["answer_1"],
    }
    return {**row, **changes}


def sessions(*ids, dates=None):
    """A history of one turn a session, the first of which is marked."""
    return {
        "haystack_session_ids": list(ids),
        "haystack_dates": dates or [DATES[0]] * len(ids),
        "haystack_sessions": [
            [said(f"{i}", has_answer=i == 0)] for i in range(len(ids))
        ],
        "answer_session_ids": [ids[0]],
    }


@pytest.fixture
def load(tmp_path):
    def loader(*rows, name="longmemeval_s.json"):
        (tmp_path / name).write_text(json.dumps(rows), encoding="utf-8")
        return load_longmemeval(tmp_path / name)

    return loader


def codes(report):
    return [problem.code for problem in report.problems]


def counts(report):
    return report.found, report.loaded, report.warned, report.failed


def test_a_clean_instance_is_a_conversation_and_its_question(load):
    conversations, questions, report = load(instance())
    (talk,), (question,) = conversations, questions
    assert (talk.id, talk.speakers) == ("s/0000abcd", ("user", "assistant"))
    assert [(s.number, s.id, s.started) for s in talk.sessions] == [
        (1, "answer_1", "2023-05-20T08:00"),
        (2, "ultrachat_1", "2023-05-21T19:05"),
    ]
    assert talk.sessions[0].turns == (
        Turn("D1:1", "user", "My two goldfish are hungry."),
        Turn("D1:2", "assistant", "Feed them."),
    )
    assert (question.id, question.conversation) == ("s/0000abcd/q0", "s/0000abcd")
    assert (question.kind, question.category) == ("multi-session", None)
    assert question.date == "2023-06-02T09:30"
    assert (question.evidence, question.evidence_sessions) == (("D1:1",), ("answer_1",))
    assert (question.answer, question.abstention) == ("three", False)
    assert (counts(report), codes(report)) == ((1, 1, 0, 0), [])


@pytest.mark.parametrize(
    ("file", "variant"),
    [
        ("longmemeval_oracle.json", "oracle"),
        ("longmemeval_oracle_dev.json", "oracle"),
        ("longmemeval_s_cleaned.json", "s_cleaned"),
        ("longmemeval_s_trunc_dev.json", "s_trunc"),
        ("longmemeval_m.json", "m"),
        ("mine.json", "mine"),
        ("_dev.json", "_dev"),
    ],
)
def test_the_variant_is_told_by_the_name_of_the_file(file, variant):
    assert variant_of(Path("data", file)) == variant


def test_one_question_may_be_in_two_variants_but_not_twice_in_one(load, tmp_path):
    load(instance(), name="longmemeval_oracle.json")
    load(instance(), name="longmemeval_s.json")
    (tmp_path / "provenance.jsonl").write_text("{}")
    conversations, questions, report = load_longmemeval(tmp_path)
    assert [talk.id for talk in conversations] == ["oracle/0000abcd", "s/0000abcd"]
    assert [q.conversation for q in questions] == ["oracle/0000abcd", "s/0000abcd"]
    assert counts(report) == (2, 2, 0, 0)
    with pytest.raises(
        InputError, match=r"instance 's/0000abcd' is twice in .*s\.json"
    ):
        load(instance(), instance())


def test_copies_of_a_session_are_both_kept_and_count_once_u26(load):
    """`["s1", "s1", "s2"]` with three dates: three sessions, one evidence id (U26)."""
    dates = [*DATES, "2023/05/22 (Mon) 10:00"]
    conversations, questions, report = load(
        instance(
            haystack_session_ids=["s1", "s1", "s2"],
            haystack_dates=dates,
            haystack_sessions=[
                [said(has_answer=True)],
                [said(has_answer=True)],
                [said()],
            ],
            answer_session_ids=["s1", "s1"],
        )
    )
    kept = [(s.number, s.id, s.started[:10]) for s in conversations[0].sessions]
    assert kept == [
        (1, "s1", "2023-05-20"),
        (2, "s1", "2023-05-21"),
        (3, "s2", "2023-05-22"),
    ]
    ids = [turn.id for s in conversations[0].sessions for turn in s.turns]
    assert ids == ["D1:1", "D2:1", "D3:1"]
    assert questions[0].evidence == ("D1:1", "D2:1")
    assert questions[0].evidence_sessions == ("s1",)
    assert codes(report) == ["session-id-repeated"]
    assert "sessions 1, 2" in report.problems[0].message
    assert counts(report) == (1, 1, 0, 0)


def test_lists_of_unequal_length_stop_that_record_with_its_id_u26(load):
    """Three ids and two sessions: that record fails, the next one loads (U26)."""
    bad = instance("bad", haystack_session_ids=["a", "b", "c"])
    conversations, _, report = load(bad, instance("good"))
    assert [talk.id for talk in conversations] == ["s/good"]
    assert counts(report) == (2, 1, 0, 1)
    (problem,) = report.problems
    assert (problem.record, problem.severity) == ("s/bad", "failed")
    assert (
        "3 haystack_session_ids, 2 haystack_dates, 2 haystack_sessions"
        in problem.message
    )


def test_sessions_keep_the_order_given_and_falling_dates_are_noted(load):
    conversations, _, report = load(instance(haystack_dates=DATES[::-1]))
    starts = [session.started for session in conversations[0].sessions]
    assert starts == ["2023-05-21T19:05", "2023-05-20T08:00"]
    assert codes(report) == ["sessions-unsorted"]


@pytest.mark.parametrize(
    ("name", "kind"), [("0000abcd_abs", "multi-session"), ("0000abcd", "abstention")]
)
def test_abstention_is_told_by_the_id_or_the_type(load, name, kind):
    _, (question,), report = load(
        instance(name, question_type=kind, answer_session_ids=[], answer=0)
    )
    assert (question.kind, question.abstention) == ("abstention", True)
    assert (question.answer, question.answer_type) == ("0", "integer")
    assert codes(report) == ["answer-integer"]
    assert counts(report) == (1, 1, 0, 0)


def test_number_answers_become_text_u23(load):
    """15 and "15" are one answer; the type is kept (U23)."""
    _, questions, _ = load(instance("a", answer=15), instance("b", answer="15"))
    assert [(q.answer, q.answer_type) for q in questions] == [
        ("15", "integer"),
        ("15", "string"),
    ]


@pytest.mark.parametrize(
    ("changes", "code", "severity"),
    [
        ({"question_date": None}, "question-date-missing", "info"),
        ({"question_date": "soon"}, "date-unknown", "warning"),
        ({"question_date": DATES[0]}, "question-before-session", "info"),
        ({"question_type": "riddle"}, "kind-unknown", "warning"),
        ({"answer": None}, "answer-missing", "warning"),
        ({"answer_session_ids": []}, "evidence-empty", "warning"),
        ({"answer_session_ids": None}, "evidence-empty", "warning"),
        (
            {"answer_session_ids": ["answer_1", "gone", 7]},
            "evidence-unknown-session",
            "warning",
        ),
        ({"haystack_dates": [DATES[0], None]}, "date-missing", "info"),
        ({"haystack_dates": [DATES[0], "May"]}, "date-unknown", "warning"),
        ({"haystack_session_ids": ["answer_1", None]}, "session-id-missing", "warning"),
        ({"haystack_sessions": [[said(has_answer=True)], []]}, "session-empty", "info"),
        (
            {"haystack_sessions": [[said(has_answer=True)], 5]},
            "session-unusable",
            "warning",
        ),
        (
            {"haystack_sessions": [[said(has_answer=True), said(" ")], [said()]]},
            "turn-unusable",
            "warning",
        ),
        (
            {
                "haystack_sessions": [
                    [said(has_answer=True), said(has_answer=1)],
                    [said()],
                ]
            },
            "mark-ignored",
            "warning",
        ),
        ({"haystack_sessions": [[said()], [said()]]}, "evidence-unmarked", "warning"),
        (
            {"haystack_sessions": [[said(has_answer=False)], [said()]]},
            "evidence-unmarked",
            "warning",
        ),
        ({"question": "\ud83d?"}, "lone-surrogate", "warning"),
    ],
)
def test_what_is_odd_is_kept_and_reported(load, changes, code, severity):
    conversations, questions, report = load(instance(**changes))
    assert (len(conversations), len(questions)) == (1, 1)
    assert (code, severity) in {(p.code, p.severity) for p in report.problems}
    assert report.failed == 0
    assert counts(report)[2] == any(p.severity == "warning" for p in report.problems)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"haystack_sessions": None}, "expected a list under 'haystack_sessions'"),
        ({"haystack_dates": {}}, "expected a list under 'haystack_dates'"),
        ({"haystack_sessions": [[], []]}, "expected turns under 'haystack_sessions'"),
        (sessions("a") | {"haystack_sessions": [[]]}, "expected turns under"),
        ({"question": " "}, "expected a text under 'question'"),
        ({"question_type": 3}, "expected a text under 'question_type'"),
        ({"question_id": None}, "expected an id under 'question_id'"),
    ],
)
def test_what_cannot_be_used_is_failed_with_the_reason(load, changes, fault):
    _, questions, report = load(instance("good"), instance(**changes))
    assert [question.id for question in questions] == ["s/good/q0"]
    assert counts(report) == (2, 1, 0, 1)
    assert any(fault in p.message and p.severity == "failed" for p in report.problems)


def test_a_file_without_any_instance_is_refused(load, tmp_path):
    with pytest.raises(InputError, match="the list is empty"):
        load()
    with pytest.raises(
        InputError, match=r"none that can be used .*record 1: expected an"
    ):
        load(5)
    path = tmp_path / "object.json"
    path.write_text(json.dumps(instance()))
    with pytest.raises(InputError, match="expected a list of LongMemEval instances"):
        load_longmemeval(path)
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match=r"a folder with .json files, got none"):
        load_longmemeval(tmp_path / "none")


def test_turns_bring_no_ids_and_no_captions_of_their_own(load):
    """Copies of a session would bring their ids twice."""
    turn = said(id="x", caption="no")
    rows = {**sessions("a", "a"), "haystack_sessions": [[turn], [turn]]}
    (talk,), _, _ = load(instance(**rows))
    turns = [turn for session in talk.sessions for turn in session.turns]
    assert [(turn.id, turn.caption) for turn in turns] == [
        ("D1:1", None),
        ("D2:1", None),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*instance(), "role", "content"]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(sorted(instance())), JSON, max_size=4))
def test_no_value_anywhere_breaks_the_loader(load, changes):
    _, questions, report = load(instance("good"), instance("odd", **changes))
    assert report.found == 2
    assert report.usable == len(questions)


@real_data
class TestTheDevelopmentFiles:
    @pytest.fixture(scope="class")
    @staticmethod
    def loaded():
        return load_longmemeval(DATA / "longmemeval")

    def test_all_17_instances_load(self, loaded):
        conversations, questions, report = loaded
        assert (len(conversations), len(questions)) == (17, 17)
        assert (report.found, report.failed) == (17, 0)
        variants = Counter(talk.id.split("/")[0] for talk in conversations)
        assert variants == {"oracle": 11, "s": 3, "s_trunc": 3}

    def test_the_sessions_of_each_variant_are_the_documented_ones(self, loaded):
        held = {}
        for talk in loaded[0]:
            held.setdefault(talk.id.split("/")[0], []).append(len(talk.sessions))
        assert sorted(held["s"]) == [40, 41, 53]
        assert held["s_trunc"] == [12, 12, 12]
        assert sum(held["oracle"]) == 18

    def test_the_only_marks_are_in_native_and_restored_instances(self, loaded):
        marked = {q.conversation: len(q.evidence) for q in loaded[1] if q.evidence}
        assert marked == {
            "oracle/6a1eabeb": 2,
            "s/6a1eabeb": 2,
            "s/ba358f49": 2,
            "s/e47becba": 2,
        }
        assert {q.conversation for q in loaded[1] if q.date} == set(marked)

    def test_evidence_sessions_and_abstention_are_as_documented(self, loaded):
        questions = loaded[1]
        abstaining = [q for q in questions if q.abstention]
        assert [q.kind for q in abstaining] == ["abstention"] * 3
        assert all(not q.evidence_sessions for q in abstaining)
        assert all(q.evidence_sessions for q in questions if not q.abstention)
        assert Counter(q.kind for q in questions) == {
            "abstention": 3,
            "knowledge-update": 4,
            "multi-session": 3,
            "single-session-assistant": 1,
            "single-session-preference": 2,
            "single-session-user": 2,
            "temporal-reasoning": 2,
        }

    def test_dates_that_fall_are_counted_as_documented(self, loaded):
        falls = {
            p.record: int(p.message.split()[2])
            for p in loaded[2].problems
            if p.code == "sessions-unsorted"
        }
        assert falls == {
            "oracle/gpt4_213fd887": 1,
            "oracle/gpt4_2c50253f": 1,
            "s/6a1eabeb": 10,
        }
        assert all(s.started for talk in loaded[0] for s in talk.sessions)
        first = Counter(
            session.turns[0].speaker
            for talk in loaded[0]
            if talk.id.startswith("s/")
            for session in talk.sessions
        )
        assert first["assistant"] == 8
