"""An invented study of the size of the sample: 24 skills, 48 questions."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from skillmill.evaluate.aggregate import Resampling
from skillmill.evaluate.runs import RunQuestion, RunValues
from skillmill.report.compared import ComparedRun, compared_run
from skillmill.report.inputs import Query, ReportInputs
from skillmill.report.othersource import Run
from skillmill.report.track import TRACKS
from skillmill.types import CATEGORIES, LoadReport, Problem, QueryScore, Score

RANKERS = {"hybrid": 0.82, "keyword": 0.6, "semantic": 0.74}
SKILLS = {
    "date-window": 0.5,
    "entity-chain": 0.6,
    "lexical-first": 0.58,
    "plain-dense": 0.62,
    "similar-neighbours": 0.66,
    "temporal-focus": 0.7,
}
COLUMNS = {"library": (1, 3, 5), "memory": (5, 10, 20)}
RULES = (
    ("catalogue", "sample"),
    ("tasks", "catalogue"),
    ("conversations", "sample"),
    ("atoms", "conversations"),
    ("entities", "atoms"),
    ("skill_vectors", "catalogue"),
    ("task_vectors", "tasks"),
    ("atom_vectors", "atoms"),
    ("entity_vectors", "entities"),
    ("similar_skills", "skill_vectors"),
    ("similar_atoms", "atom_vectors"),
    ("temporal_neighbours", "atoms"),
    ("memory", "atoms"),
    ("memory", "entities"),
    ("memory", "atom_vectors"),
    ("memory", "entity_vectors"),
    ("memory", "similar_atoms"),
    ("memory", "temporal_neighbours"),
    ("rank_skills", "catalogue"),
    ("rank_skills", "skill_vectors"),
    ("rank_skills", "task_vectors"),
    ("recall_atoms", "memory"),
    ("score_library", "rank_skills"),
    ("score_library", "tasks"),
    ("score_memory", "recall_atoms"),
    ("figures", "score_library"),
    ("figures", "score_memory"),
    ("page", "figures"),
    ("page", "score_library"),
    ("page", "score_memory"),
    ("page", "similar_skills"),
)
SUBJECTS = ("the harbour", "a lost kite", "Ines' violin", "the tram strike", "the oven")
HOSTILE = "<img src=x onerror=\"document.title='taken'\">\u202etxt.exe"


def queries() -> dict[str, Query]:
    """36 tasks in three wordings and 48 questions in five categories."""
    made: dict[str, Query] = {}
    for number in range(36):
        wording = ("direct", "paraphrase", "indirect")[number % 3]
        text = f"Sort parcel list {number} so that {SUBJECTS[number % 5]} comes first"
        made[f"task-{number:02}"] = Query(text, "library", (wording,))
    for number in range(48):
        name = CATEGORIES[1 + number % 5]
        text = f"When did Tomasz tell Ines about {SUBJECTS[number % 5]} ({number})?"
        made[f"talk-{number // 24}/q{number % 24}"] = Query(text, "memory", (name,))
    return made


def query_scores() -> list[QueryScore]:
    """Recall per query, rising with k; adversarial questions cannot be scored."""
    rng = np.random.default_rng(11)
    rows = []
    for query, record in queries().items():
        arms = RANKERS if record.track == "library" else SKILLS
        ease = rng.normal(0, 0.2)
        for arm, quality in arms.items():
            luck = rng.normal(0, 0.12)
            for step, k in enumerate(COLUMNS[record.track]):
                chance = quality + ease + luck + 0.13 * (step - 1)
                value = float(np.clip(round(chance * 2) / 2, 0, 1))
                known = "adversarial" not in record.categories
                rows.append(
                    QueryScore(arm, query, "recall", k, value if known else None)
                )
    return rows


def scores() -> list[Score]:
    """Means of the above with rough intervals: pooled, and by category."""
    known, rows = queries(), []
    per_query = query_scores()
    columns = sorted({(s.arm, s.metric, s.k or 0) for s in per_query})
    for arm, metric, k in columns:
        here = [s for s in per_query if (s.arm, s.k) == (arm, k)]
        track = known[here[0].query].track
        names = {c for s in here for c in known[s.query].categories}
        for category in ("all", *sorted(names)):
            values = [
                s.value
                for s in here
                if s.value is not None
                and category in ("all", *known[s.query].categories)
            ]
            mean = float(np.mean(values)) if values else None
            half = 1.96 * float(np.std(values)) / len(values) ** 0.5 if values else 0
            rows.append(
                Score(
                    track=track,
                    study="sample",
                    arm=arm,
                    split="all",
                    category=category,
                    metric=metric,
                    k=k,
                    n=len(values),
                    value=mean,
                    low=None if mean is None else max(0.0, mean - half),
                    high=None if mean is None else min(1.0, mean + half),
                    heuristic=arm == "date-window",
                )
            )
    return rows


def run(name: str, values: Sequence[QueryScore]) -> Run:
    """The invented questions, as a comparison of runs takes them."""
    tracks = {}
    for track in TRACKS:
        asked = {
            query: RunQuestion(record.text, (), _groups(record))
            for query, record in queries().items()
            if record.track == track
        }
        mine = [value for value in values if value.query in asked]
        tracks[track] = RunValues(asked, mine)
    return Run(name, tracks)


def _groups(record: Query) -> tuple[str, ...]:
    pooled = () if "adversarial" in record.categories else ("all",)
    return (*pooled, *record.categories)


#: What recall@5 was in the run of before, where it was not as now.
BEFORE = {
    ("hybrid", "task-00"): 0.5,
    ("hybrid", "task-01"): 0.5,
    ("hybrid", "task-05"): 1.0,
    ("keyword", "task-05"): 1.0,
}


def compared(name: str = "before") -> ComparedRun:
    """The study against a run without date-window, without task-03, and with `BEFORE`.

    Now hybrid's recall@5 is higher on two tasks and lower on one, of 35.
    """
    then = [
        replace(v, value=BEFORE.get((v.arm, v.query), v.value)) if v.k == 5 else v
        for v in query_scores()
        if v.arm != "date-window" and v.query != "task-03"
    ]
    few = Resampling(200, 0.95, 0)
    return compared_run(run("this", query_scores()), run(name, then), few)


def load_reports() -> list[LoadReport]:
    """A library with warnings and one file that cannot be read, and a clean one."""
    problems = [
        Problem(
            file=f"skills/parcel-{number:02}/SKILL.md",
            line=3,
            record=f"parcel-{number:02}",
            severity="warning",
            code="unquoted-colon",
            message="expected a quoted text, got a colon in it; read as one text",
        )
        for number in range(6)
    ]
    problems.append(
        Problem(
            file="skills/<b>bold</b>/SKILL.md",
            line=1,
            record=HOSTILE,
            severity="failed",
            code="no-frontmatter",
            message="expected --- on the first line, got <script>alert(1)</script>; "
            "add a frontmatter with name and description",
        )
    )
    return [
        LoadReport("skills", 25, 18, 6, 1, tuple(problems)),
        LoadReport("conversations.json", 2, 2, 0, 0),
    ]


def invented_study(**changes: object) -> ReportInputs:
    """Return the whole study as one page shows it, with `changes` applied."""
    from skillmill.report.rulegraph import rule_graph

    parts: dict[str, object] = {
        "study": "sample",
        "title": "Sample library and sample memory",
        "scores": scores(),
        "query_scores": query_scores(),
        "queries": queries(),
        "built": {
            "library skills": 24,
            "tasks": 36,
            "conversations": 2,
            "atoms": 312,
            "questions": 48,
            "similarity edges": 1560,
        },
        "load_reports": load_reports(),
        "outcomes": [
            ("recall_atoms", "ok", "", 282),
            ("recall_atoms", "empty", "no atom within the dates", 4),
            ("recall_atoms", "failed", "the vector is not finite", 2),
            ("rank_skills", "ok", "", 108),
        ],
        "provenance": {
            "results/sample/catalogue.sqlite": {
                "kind": "catalogue",
                "code": "4f1c0a77be12",
                "params": {"strict": False, "limit": 0},
                "sha256 of skills": "9c1d" * 16,
            },
            "results/sample/scores.sqlite": {"kind": "scores", "package": "0.1.0"},
        },
        "rule_edges": RULES,
        "figures": {"rules": rule_graph(RULES)},
        "heuristics": ["The date reader is a rule, not a language model."],
    }
    return ReportInputs(**(parts | changes))
