"""Token vectors are made where a retrieval skill searches by late interaction."""

import pytest

from skillmill.store.artifact import reading
from skillmill.store.rankings import load_rankings
from skillmill.store.tokens import load_tokens
from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

SKILLS = REPOSITORY / "src" / "skillmill" / "skills"


def test_a_late_skill_brings_its_token_vectors_and_changes_no_other(copied):
    memory = copied.root / "results" / "sample" / "memory" / "0"
    assert not (memory / "tokens.sqlite").exists()
    with reading(memory / "rollouts.sqlite", "rankings") as db:
        before = {(r.arm, r.query): r for r in load_rankings(db)}
    skills = [str(SKILLS / "seeds"), str(SKILLS / "late")]
    copied.config = {"memory": {"skills": skills}}
    copied.run("memory", run="late")
    ran = {job.rule: job for job in copied.jobs("late")}
    assert {"tokens", "rollouts"} <= set(ran)
    assert not set(ran) & {"conversations", "atoms", "entities", "vectors"}
    assert ran["tokens"].computed > 0
    with reading(memory / "tokens.sqlite", "tokens") as db:
        atoms, questions = load_tokens(db, "atom"), load_tokens(db, "question-tuned")
    assert {matrix.shape[1] for matrix in atoms.values()} == {384}
    assert len(questions) == 64
    with reading(memory / "rollouts.sqlite", "rankings") as db:
        after = {(r.arm, r.query): r for r in load_rankings(db)}
    assert {key: after[key] for key in before} == before
    late = {arm for arm, _ in after} - {arm for arm, _ in before}
    assert late == {"fixed-best-late", "semantic-clue-late"}
    assert all(after[key].state == "ok" for key in after if key[0] in late)
    copied.run("memory", run="again")
    assert copied.jobs("again") == []
