"""Quality and speed of the retrieval primitives; prints tables, asserts nothing.

    skillmill run --configfile configs/locomo.yaml memory
    OMP_NUM_THREADS=1 python benchmarks/primitives.py --study locomo

Reads the memories of a study. Token vectors come from its `tokens.sqlite` where a
retrieval skill asked for them, else from the records, and what is not there is encoded
(some minutes for LoCoMo, once). Both sides of a comparison are timed in the same run;
figures are medians on whatever else the machine is doing.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from primitive_speed import print_pagerank, print_speed
from primitive_study import PROGRAMS, Study, read_study, run

from skillmill.compute.scoring import full_coverage, recall, reciprocal_rank
from skillmill.compute.statistics import paired_difference
from skillmill.skills.turns import turn_ranking
from skillmill.types import CATEGORIES, Ranking

CUTOFFS, TURNS = (5, 10, 20), 10
#: Pairs whose difference is printed, over all questions and those that name a date.
PAIRS = (
    ("dense tuned", "dense literal"),
    ("dense late", "dense tuned"),
    ("lexical tuned", "lexical literal"),
    ("entity tuned", "entity literal"),
    ("D>L", "lexical tuned"),
    ("D>L>T", "D>L"),
    ("D>L>N", "D>L"),
    ("fixed-best (D>L>T>N)", "D>L>N"),
    ("fixed-best (D>L>T>N)", "entity tuned"),
    ("fixed-best-late", "fixed-best (D>L>T>N)"),
    ("fixed-best-late", "late D>L>N"),
)


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--study", default="locomo")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--records", type=Path, default=Path("records"))
    asked = parser.parse_args()
    study = read_study(asked.results / asked.study / "memory", asked.records)
    rankings = {name: run(study, steps) for name, steps in PROGRAMS.items()}
    print_quality(study, rankings)
    print_differences(study, rankings)
    print_turns(study, rankings)
    print_speed(study)
    print_pagerank(study)


def recalls(study: Study, rankings: Mapping[str, Ranking], names, k: int) -> np.ndarray:
    """Recall at k of each question."""
    return np.array([recall(rankings[q].items, study.evidence[q], k) for q in names])


def print_quality(study: Study, rankings: Mapping[str, dict]) -> None:
    """Print recall, full evidence and reciprocal rank of each program."""
    names = study.pooled
    kinds = np.array([study.questions[q].category for q in names])
    dated = np.array(dated_questions(study, names))
    shown = [c for c in CATEGORIES if (kinds == c).any()]
    print(f"{len(names)} questions, {dated.sum()} of them name a date; percent\n")
    heads = [f"R@{k}" for k in CUTOFFS] + ["H@10", "MRR"]
    heads += [CATEGORIES[c] for c in shown] + ["dated"]
    print(f"{'R@10 by category':24}", *(f"{head:>11}" for head in heads))
    for name, mine in rankings.items():
        at = {k: recalls(study, mine, names, k) for k in CUTOFFS}
        whole = [full_coverage(mine[q].items, study.evidence[q], 10) for q in names]
        first = [reciprocal_rank(mine[q].items, study.evidence[q]) for q in names]
        cells = [at[k].mean() for k in CUTOFFS] + [np.mean(whole), np.mean(first)]
        cells += [at[10][kinds == c].mean() for c in shown]
        cells.append(at[10][dated].mean() if dated.any() else np.nan)
        print(f"{name:24}", *(f"{100 * cell:11.1f}" for cell in cells))


def dated_questions(study: Study, names: Sequence[str]) -> list[bool]:
    """Whether each question names a date."""
    ranges = {c.id: c.time_range for mine in study.contexts.values() for c in mine}
    return [ranges[name] is not None for name in names]


def print_differences(study: Study, rankings: Mapping[str, dict]) -> None:
    """Print paired differences with their bootstrap intervals."""
    names = study.pooled
    dated = [q for q, d in zip(names, dated_questions(study, names), strict=True) if d]
    print("\npaired differences of R@10, points [95 %]: all questions, those dated")
    for one, other in PAIRS:
        cells = []
        for group in (names, dated):
            mine, base = (recalls(study, rankings[p], group, 10) for p in (one, other))
            found = paired_difference(mine, base, np.random.default_rng(0))
            cells.append(
                "no questions"
                if found is None
                else f"{100 * found.value:+5.1f} [{100 * found.low:+.1f},"
                f" {100 * found.high:+.1f}]"
            )
        print(f"{one:24} - {other:24} {cells[0]:24} {cells[1]}")


def print_turns(study: Study, rankings: Mapping[str, dict]) -> None:
    """Print the turn-level output over all categories that have evidence."""
    names = [q for q in study.questions if study.questions[q].evidence]
    homes = {c.id: (c, home) for home, mine in study.contexts.items() for c in mine}
    print(f"\nturns, {len(names)} questions of all categories: recall@{TURNS}, MRR")
    for name in ("fixed-best (D>L>T>N)", "fixed-best-late"):
        for weight in (0.0, 0.25, 0.5, 1.0):
            at, first = [], []
            for q in names:
                context, home = homes[q]
                turns = turn_ranking(
                    rankings[name][q], context, study.views[home], weight
                ).items
                wanted = study.questions[q].evidence
                at.append(recall(turns, wanted, TURNS))
                first.append(reciprocal_rank(turns, wanted))
            cells = f"{100 * np.mean(at):6.1f} {100 * np.mean(first):6.1f}"
            print(f"{name:24} + {weight:4} x turn MaxSim {cells}")


if __name__ == "__main__":
    main()
