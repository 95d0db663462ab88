"""A memory of random words with questions: evolution runs on it as on real data."""

import numpy as np

from skillmill.compute.scoring import recall
from skillmill.evolve.prior_router import UtilityRouting, hash_vectors
from skillmill.evolve.rollouts import Arena, Asked, memory_hash
from skillmill.evolve.search import Search
from skillmill.evolve.state import Ground
from skillmill.skills.executor import execute
from skillmill.skills.primitives import PRIMITIVES
from tests.evolve.skills import skill
from tests.skills.test_batch import random_queries, random_view

SEEDS = (skill("D"), skill("E"), skill("L"))
#: Without a model `llm_process` cannot run.
OFFLINE = {name: one for name, one in PRIMITIVES.items() if name != "llm_process"}


def first_three(items, evidence):
    return recall(items, evidence, 3)


def arena(seed=0, recorded=None, primitives=OFFLINE):
    """Eighteen questions; evidence is first and last find of one of three programs."""
    rng = np.random.default_rng(seed)
    view = random_view(rng)
    asked = {}
    for n, query in enumerate(random_queries(rng, 18)):
        hidden = skill(("DLS", "LR", "EDL")[n % 3])
        found = execute(hidden, query, view, 4).ranking.items or view.ids
        evidence = tuple(sorted({found[0], found[-1]}))
        split = "train" if n < 9 else "val"
        asked[query.id] = Asked(query, view, evidence, split, memory_hash(view))
    return Arena(asked, first_three, 5, primitives, recorded)


def questions(where, split):
    return tuple(q for q, one in sorted(where.asked.items()) if one.split == split)


def ground(where=None, proposer=None):
    where = where or arena()
    return Ground(
        arena=where,
        validation=questions(where, "val"),
        proposer=proposer or Search(longest=3),
        routing=UtilityRouting(),
        question_vectors=dict.fromkeys(where.asked, np.zeros(1)),
        skill_vectors=lambda skills: hash_vectors([s.content_hash for s in skills]),
    )
