"""Rewards of many programs on the questions of a study, for `router.py`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
from primitive_study import (
    DAYS,
    DENSE,
    ENTITY,
    LEXICAL,
    NEIGHBOURS,
    Study,
    read_study,
    skill_of,
)

from skillmill.compute.scoring import recall
from skillmill.evaluate.baselines import Given, uniform_fusion
from skillmill.evolve.confidence import confidence
from skillmill.models.encoder import EncoderSettings, load_encoder
from skillmill.skills.batch import Known, execute_batch
from skillmill.skills.skill import render_skill

STEPS = {
    "D": DENSE,
    "L": LEXICAL,
    "E": ENTITY,
    "T": DAYS,
    "N": NEIGHBOURS,
    "S": ("similarity_expand", {}, 0.5),
}
SEARCHES, K = "DLE", 10


@dataclass
class Table:
    """Programs on questions.

    `recalls` is (programs, K, questions): recall at 1 .. K atoms. `fusion` is recall
    at K of the seeds' uniform fusion. `questions` and `skills` are vectors, `sure` the
    confidence features, `homes` the conversation of each question.
    """

    programs: list[str]
    recalls: np.ndarray
    fusion: np.ndarray
    questions: np.ndarray
    skills: np.ndarray
    sure: np.ndarray
    homes: np.ndarray

    @property
    def rewards(self) -> np.ndarray:
        """Recall at K, (programs, questions)."""
        return self.recalls[:, -1]


def programs(longest: int) -> list[str]:
    """Letters of all programs that begin with a search and repeat no step."""
    found = []
    for length in range(1, longest + 1):
        for letters in permutations(STEPS, length):
            if letters[0] in SEARCHES:
                found.append("".join(letters))
    return found


def read_table(results: Path, records: Path, longest: int) -> Table:
    """Run every program on every pooled question."""
    study = read_study(results, records)
    names = programs(longest)
    skills = [skill_of(name, [STEPS[letter] for letter in name]) for name in names]
    pooled = set(study.pooled)
    parts, homes = [], []
    for home in sorted(study.contexts):
        queries = tuple(q for q in study.contexts[home] if q.id in pooled)
        parts.append(_part(study, home, queries, skills))
        homes += [home] * len(queries)
    joined = [np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True)]
    recalls, fusion, questions, sure = joined
    texts = [render_skill(skill) for skill in skills]
    vectors = load_encoder(EncoderSettings()).encode(texts)
    return Table(names, recalls, fusion, questions.T, vectors, sure.T, np.array(homes))


def _part(study: Study, home: str, queries: Sequence, skills: Sequence) -> tuple:
    """The columns of one conversation."""
    view = study.views[home]
    known = Known(view, tuple(queries))
    gold = [study.evidence[query.id] for query in queries]
    rows, seeds = [], []
    for skill in skills:
        found = execute_batch(skill, queries, view, K, known=known).rankings()
        rows.append(_recalls(found, gold))
        if skill.name in SEARCHES:
            seeds.append(found)
    fused = [
        uniform_fusion(Given(query, view, (), [s[n] for s in seeds], K, 0))
        for n, query in enumerate(queries)
    ]
    fusion = _recalls(fused, gold)[-1]
    vectors = np.array([query.vector for query in queries], dtype=np.float32)
    return np.array(rows), fusion, vectors.T, confidence(queries, view).T


def _recalls(rankings: Sequence, gold: Sequence) -> np.ndarray:
    """Recall at 1 .. K of each question, (K, q)."""
    return np.array(
        [
            [recall(r.items, g, k) for r, g in zip(rankings, gold, strict=True)]
            for k in range(1, K + 1)
        ],
        dtype=float,
    )
