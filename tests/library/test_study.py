import numpy as np

from skillmill.library.query import Bodies
from skillmill.library.settings import RankerSettings
from skillmill.library.study import (
    gather_queries,
    gather_skills,
    rank_tasks,
    reranks_late,
)

PASSAGES = [
    ("mail", 0, "send mail: write a letter"),
    ("mail", 1, "the body of mail"),
    ("pdf", 0, "join pdf: put documents together"),
]
VECTORS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], dtype=np.float32)
SKILLS = gather_skills(["send mail", "join pdf"], PASSAGES, VECTORS)
QUERIES = gather_queries(
    [("t1", 0, "write it. join it."), ("t1", 1, "join it."), ("t2", 0, "pdf")],
    np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], dtype=np.float32),
)


def test_parts_beyond_the_first_are_bodies_of_a_skill_and_sentences_of_a_task():
    assert SKILLS.ids == ["mail", "pdf"]
    assert SKILLS.texts == [PASSAGES[0][2], PASSAGES[2][2]]
    assert SKILLS.bodies is not None
    assert SKILLS.bodies.ids == ["mail"]
    assert [len(query.vectors) for query in QUERIES] == [2, 1]
    assert QUERIES[0].text == "write it. join it."


def test_a_part_of_a_library_keeps_its_bodies():
    only = SKILLS.only({"pdf"})
    assert (only.ids, only.names) == (["pdf"], ["join pdf"])
    assert only.bodies == Bodies([], only.bodies.vectors)
    assert SKILLS.only(set()).ids == []


def test_every_arm_ranks_every_task_and_explains_itself():
    answers, lost = rank_tasks(SKILLS, QUERIES, RankerSettings())
    found = {(r.arm, r.query) for r in answers.rankings}
    assert found == {
        (arm, query)
        for arm in ("keyword", "semantic", "hybrid")
        for query in ("t1", "t2")
    }
    assert lost == ()
    names = {name for arm, *_, name, _ in answers.parts if arm == "hybrid"}
    assert names >= {"keyword", "semantic", "name", "bm25", "cosine"}


def test_tokens_are_asked_for_the_skills_that_late_interaction_reranks():
    from dataclasses import replace

    asked = []

    def tokens(texts):
        asked.extend(texts)
        return [np.array([[1.0, 0.0]])] * len(texts)

    queries = [replace(query, tokens=np.array([[1.0, 0.0]])) for query in QUERIES]
    settings = RankerSettings(late_depth=1)
    answers, _ = rank_tasks(SKILLS, queries, settings, tokens)
    assert ("hybrid+late", "t1") in {(r.arm, r.query) for r in answers.rankings}
    assert 1 <= len(asked) <= 2
    for off in (RankerSettings(late_weight=0), RankerSettings(late_up_to=1)):
        answers, _ = rank_tasks(SKILLS, queries, off, tokens)
        assert "hybrid+late" not in {r.arm for r in answers.rankings}


def test_late_interaction_is_left_out_beyond_its_size_and_without_weight():
    settings = RankerSettings(late_up_to=2)
    assert reranks_late(settings, 2)
    assert not reranks_late(settings, 3)
    assert not reranks_late(RankerSettings(late_up_to=2, late_weight=0), 2)


def test_a_library_without_skills_and_a_study_without_tasks():
    empty = gather_skills([], [], np.empty((0, 0), dtype=np.float32))
    answers, _ = rank_tasks(SKILLS, [], RankerSettings())
    assert (answers.rankings, answers.parts) == ([], [])
    assert empty.ids == []
