"""Scores of the offline stand-ins; docs/standins.md holds what this prints.

    OMP_NUM_THREADS=1 python benchmarks/standins.py

Reads data/sample, benchmarks/standins_examples.json and, if it is there, LoCoMo in
`$SKILLMILL_DATA/locomo`. Takes a second for the sample and some two minutes for seven
conversations of LoCoMo, nearly all of it encoding.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import combinations
from pathlib import Path

import numpy as np

from skillmill.compute.fusion import minmax, top, weighted_sum
from skillmill.compute.lexical import Bm25, words
from skillmill.compute.statistics import bootstrap_mean, wilson
from skillmill.compute.textscore import bleu1, f1_bag
from skillmill.data.chatlog import load_chatlog
from skillmill.data.locomo import load_locomo
from skillmill.data.skillfile import load_library
from skillmill.memory.atoms import (
    dated_text,
    evidence_atoms,
    strip_names,
    turn_pair_atoms,
)
from skillmill.models.encoder import load_encoder
from skillmill.models.heuristics import periods
from skillmill.models.heuristics.dates import find_dates
from skillmill.models.heuristics.decompose import ClauseSplitter
from skillmill.models.heuristics.judge import MatchJudge
from skillmill.models.heuristics.numbers import numbers_in
from skillmill.models.heuristics.passages import Evidence
from skillmill.models.heuristics.questions import taken_apart
from skillmill.models.heuristics.reader import SpanReader
from skillmill.models.heuristics.related import CosineRelated
from skillmill.types import ADVERSARIAL, CATEGORIES, Atom, Conversation, Question

REPOSITORY = Path(__file__).resolve().parent.parent
SAMPLE = REPOSITORY / "data" / "sample"
EXAMPLES = json.loads((Path(__file__).parent / "standins_examples.json").read_text())
#: The conversations whose questions the reader's rules were written with.
SEEN = ("conv-26", "conv-30")
ATOMS, DEPTH = 10, 20
#: A step counts as found if its words agree this much with one that is wanted.
SAME_STEP = 0.7


def main() -> None:
    """Print one table for each stand-in."""
    conversations, questions, _ = load_chatlog(SAMPLE / "conversations.jsonl")
    print("reader: F1 (f1_bag) and BLEU-1, percent")
    print_reader("sample (unseen)", conversations, questions)
    real = Path(os.environ.get("SKILLMILL_DATA", REPOSITORY.parent / "shared/data"))
    if (real / "locomo").exists():
        conversations_, questions_, _ = load_locomo(real / "locomo")
        for name, seen in (("LoCoMo, seen", True), ("LoCoMo, unseen", False)):
            chosen = [c for c in conversations_ if (c.id in SEEN) == seen]
            print_reader(name, chosen, questions_)
    else:
        print(f"LoCoMo: skipped, there is no {real / 'locomo'}; set SKILLMILL_DATA")
    print_judge(questions)
    print_splitter()
    print_related()


def print_reader(
    name: str, conversations: Sequence[Conversation], questions: Sequence[Question]
) -> None:
    """Print F1 and BLEU-1 with ten retrieved atoms and with the gold evidence."""
    rows = [row for c in conversations for row in readings(c, questions)]
    for column, evidence in enumerate((f"top {ATOMS}", "gold"), start=1):
        f1 = np.array([f1_bag(row[column], row[0].answer or "") for row in rows])
        b1 = np.mean([bleu1(row[column], row[0].answer or "") for row in rows])
        mean, low, high = bootstrap_mean(f1, np.random.default_rng(0), 2000, 0.95)
        parts = []
        for number, category in CATEGORIES.items():
            held = f1[[row[0].category == number for row in rows]]
            if len(held):
                parts.append(f"{category} {100 * held.mean():.1f} ({len(held)})")
        print(
            f"  {name:16} {evidence:6} n {len(rows):4}  F1 {100 * mean:.1f}"
            f" [{100 * low:.1f}, {100 * high:.1f}]  B1 {100 * b1:.1f}  "
            + ", ".join(parts)
        )


def readings(
    conversation: Conversation, questions: Sequence[Question]
) -> Iterator[tuple[Question, str, str]]:
    """Give each question with its answer from retrieved and from gold evidence."""
    atoms = turn_pair_atoms(conversation)
    by_id = {atom.id: atom for atom in atoms}
    mine = [
        q
        for q in questions
        if q.conversation == conversation.id and q.category != ADVERSARIAL
    ]
    reader = SpanReader()
    for question, best in zip(mine, retrieved(conversation, atoms, mine), strict=True):
        gold = evidence_atoms(question, atoms)
        answers = [
            reader.read(
                question.text,
                [Evidence(by_id[i].text, by_id[i].timestamp) for i in ids],
            ).answer
            for ids in (best, gold)
        ]
        yield question, answers[0], answers[1]


def retrieved(
    conversation: Conversation, atoms: Sequence[Atom], questions: Sequence[Question]
) -> list[list[str]]:
    """Find the atoms for each question: BM25 and dense search, scaled and added."""
    ids = [atom.id for atom in atoms]
    encoder = load_encoder()
    vectors = encoder.encode([atom.text for atom in atoms])
    asked = encoder.encode(
        [strip_names(q.text, conversation.speakers) for q in questions]
    )
    bm25 = Bm25([words(dated_text(atom), stem=True, stop=True) for atom in atoms])
    found = []
    for question, vector in zip(questions, asked, strict=True):
        lexical = bm25.scores(words(question.text, stem=True, stop=True))
        parts = [minmax(vectors @ vector, DEPTH), minmax(lexical, DEPTH)]
        found.append([ids[row] for row in top(weighted_sum(parts, [1, 1]), ids, ATOMS)])
    return found


def print_judge(questions: Sequence[Question]) -> None:
    """Print the share of pairs judged as they should be, `unsure` as incorrect."""
    print("judge: share judged rightly, percent; unsure counts as incorrect")
    print_pairs({
        group: [(q.text, q.answer or "", said) for q, said in pairs]
        for group, pairs in judge_pairs(questions).items()
    }, "reworded gold")  # fmt: skip
    others = EXAMPLES["others"]
    print("judge: pairs by somebody who had not read the rules")
    print_pairs({
        f"{kind} answers": [(p["question"], p["gold"], p[kind]) for p in others]
        for kind in ("right", "wrong")
    }, "right answers")  # fmt: skip


def print_pairs(groups: dict[str, list[tuple[str, str, str]]], correct: str) -> None:
    """Print the share judged as it should be: `correct` in the group of that name."""
    judge = MatchJudge()
    total = right = unsure = overlap = 0
    for group, pairs in groups.items():
        wanted = group == correct
        labels = [judge.judge(*pair).label for pair in pairs]
        hits = sum((label == "correct") == wanted for label in labels)
        share = f"{100 * hits / len(pairs):.0f}"
        print(
            f"  {group:28} n {len(pairs):3}  {share}  (unsure {count_unsure(labels)})"
        )
        overlap += sum((f1_bag(s, gold) >= 0.5) == wanted for _, gold, s in pairs)
        total, right = total + len(pairs), right + hits
        unsure += count_unsure(labels)
    for name, hits, doubts in (("all", right, unsure), ("token overlap", overlap, 0)):
        interval = wilson(hits, total)
        if interval is not None:
            bounds = (interval.value, interval.low, interval.high)
            share, low, high = (f"{100 * bound:.0f}" for bound in bounds)
            print(
                f"  {name:28} n {total:3}  {share} [{low}, {high}]  (unsure {doubts})"
            )


def count_unsure(labels: Sequence[str]) -> int:
    """Count the doubts."""
    return sum(label == "unsure" for label in labels)


def judge_pairs(
    questions: Sequence[Question],
) -> dict[str, list[tuple[Question, str]]]:
    """Make the pairs: gold answers reworded, exchanged, and shifted by one."""
    rewordings = EXAMPLES["rewordings"]
    answered = [q for q in questions if q.answer and q.category != ADVERSARIAL]
    kinds = {q.id: taken_apart(q.text, ()).kind for q in answered}
    pairs: dict[str, list[tuple[Question, str]]] = {
        "reworded gold": [
            (q, rewordings[q.text]) for q in answered if q.text in rewordings
        ],
        "gold of the next of its kind": [],
        "date or number shifted": [],
    }
    for place, question in enumerate(answered):
        rest = answered[place + 1 :] + answered[:place]
        other = next(
            (q for q in rest if kinds[q.id] == kinds[question.id]
             and q.answer != question.answer), None,
        )  # fmt: skip
        if other is not None:
            pairs["gold of the next of its kind"].append((question, other.answer or ""))
        moved = shifted(question.answer or "")
        if moved is not None:
            pairs["date or number shifted"].append((question, moved))
    return pairs


def shifted(answer: str) -> str | None:
    """Move the first date of an answer by nine days, or its first number by one."""
    dates, numbers = find_dates(answer, None), numbers_in(answer)
    if dates and dates[0].period.days == 1:
        moved = periods.day(dates[0].period.first + timedelta(days=9)).written
        return answer[: dates[0].start] + moved + answer[dates[0].end :]
    if numbers:
        start, end, value = numbers[0]
        return f"{answer[:start]}{value + 1:g}{answer[end:]}"
    return None


def print_splitter() -> None:
    """Print how well steps are found in joined clauses and counted in whole tasks."""
    splitter = ClauseSplitter()
    scores = []
    exact = 0
    joined = list(joined_clauses())
    for wanted, task in joined:
        found = splitter.steps(task)
        hits = sum(max((f1_bag(f, w) for f in found), default=0) >= SAME_STEP
                   for w in wanted)  # fmt: skip
        scores.append(2 * hits / (len(found) + len(wanted)))
        exact += len(found) == len(wanted)
    print("splitter: percent")
    print(f"  joined clauses  n {len(joined)}  F1 {100 * np.mean(scores):.0f}"
          f"  right count {100 * exact / len(joined):.0f}")  # fmt: skip
    lines = (SAMPLE / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {task["id"]: task["text"] for task in map(json.loads, lines)}
    gaps = [len(splitter.steps(texts[t])) - n for t, n in EXAMPLES["steps"].items()]
    print(f"  sample tasks    n {len(gaps)}  right count"
          f" {100 * sum(g == 0 for g in gaps) / len(gaps):.0f}  off by one or less"
          f" {100 * sum(abs(g) <= 1 for g in gaps) / len(gaps):.0f}")  # fmt: skip


def joined_clauses() -> Iterator[tuple[list[str], str]]:
    """Join the first clauses of neighbouring descriptions in five ways."""
    skills, _ = load_library(SAMPLE / "library")
    firsts = [re.split(r"[.,;:]| and | or ", s.description)[0].strip() for s in skills]
    clauses = [first for first in firsts if len(first.split()) >= 3]
    for start in range(len(clauses) - 4):
        for count in (2, 3, 4, 5):
            wanted = clauses[start : start + count]
            low = [clause[0].lower() + clause[1:] for clause in wanted]
            yield wanted, f"Please {', '.join(low[:-1])} and {low[-1]}."
            yield wanted, f"I would like you to {', then '.join(low)}."
            yield wanted, ". ".join(wanted) + "."
            yield wanted, "To do:\n" + "\n".join(f"- {clause}" for clause in wanted)
            yield wanted, f"First {'; after that, '.join(low)}. Thanks!"


def print_related() -> None:
    """Print how well the threshold parts declared pairs from all others."""
    skills, _ = load_library(SAMPLE / "library")
    vectors = load_encoder().encode([skill.description for skill in skills])
    declared = {
        frozenset((skill.id, other)) for skill in skills for other in skill.related
    }
    pairs = list(combinations(range(len(skills)), 2))
    truth = np.array([{skills[a].id, skills[b].id} in declared for a, b in pairs])
    first, second = (vectors[[pair[side] for pair in pairs]] for side in (0, 1))
    called = CosineRelated().related(first, second)
    cosine = (first * second).sum(axis=1)
    wins = (cosine[truth][:, None] > cosine[~truth][None, :]).mean()
    print("related: declared pairs of the sample library against all other pairs")
    print(f"  n {truth.sum()} + {(~truth).sum()}  AUC {wins:.2f}  called related:"
          f" {100 * called[truth].mean():.0f} % of declared,"
          f" {100 * called[~truth].mean():.0f} % of others")  # fmt: skip


if __name__ == "__main__":
    main()
