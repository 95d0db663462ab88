"""Invented rows of every kind, with what is awkward to store."""

import os
import subprocess
import sys
import textwrap
from contextlib import contextmanager

from skillmill.store.artifact import Provenance
from skillmill.types import (
    Atom,
    Conversation,
    Edge,
    LibrarySkill,
    LoadReport,
    Mention,
    Problem,
    QueryScore,
    Question,
    Ranking,
    Score,
    Session,
    Task,
    Turn,
)
from tests.conftest import REPOSITORY

HEBREW = "\u200fשלום עולם\u200e"  # right to left, with the marks that say so
CHINESE = "索引 café \U0001f9f5"

SKILLS = [
    LibrarySkill(
        id="data/index",
        kind="skill",
        name=CHINESE,
        description=HEBREW,
        path="data/index/SKILL.md",
        department="data",
        category="",
        tags=("b", "a", CHINESE),
        related=("data/query", "data/store"),
        inputs=("papers", "notes"),
        outputs=('a "quoted" name', "line\nbreak"),
        tools=("sed", "awk"),
        part_of=None,
        body="# Index\r\n\ttabs and a \x00 zero",
        content_hash="ab" * 32,
        aliases=("z/copy", "a/copy"),
    ),
    LibrarySkill(
        id="data/query",
        kind="listing",
        name="query",
        description="",
        path="registry.json",
        department="",
        category="",
        tags=(),
        related=(),
        inputs=(),
        outputs=(),
        tools=(),
        part_of="data/index",
        body="",
        content_hash="",
    ),
]
TASKS = [
    Task("t10", "index the papers", ("data/query", "data/index"), ("hard", "direct")),
    Task("t9", HEBREW, (), ()),
]
REPORTS = [
    LoadReport("empty.json", 0, 0, 0, 0),
    LoadReport(
        "skills",
        4,
        1,
        2,
        1,
        (
            Problem("a/SKILL.md", 3, "a", "warning", "unquoted-colon", CHINESE),
            Problem("a/SKILL.md", 3, "a", "warning", "unquoted-colon", CHINESE),
            Problem("b/SKILL.md", None, None, "failed", "no-front-matter", "none"),
        ),
    ),
]
CONVERSATIONS = [
    Conversation(
        "talk-2",
        ("Ada", HEBREW),
        (
            Session(
                1,
                "1:56 pm on 8 May, 2023",
                "2023-05-08T13:56",
                (
                    Turn("D1:10", "Ada", "the tenth turn comes first here"),
                    Turn("D1:2", HEBREW, CHINESE, "a picture of a mill"),
                ),
            ),
            Session(2, None, None, (), "s1"),
            Session(3, None, None, (Turn("D3:1", "Ada", "again"),), "s1"),
        ),
    ),
    Conversation("talk-1", (), ()),
]
QUESTIONS = [
    Question("talk-1/q0", "talk-1", "when?", 2, "2022", "number", None, ()),
    *(
        Question(f"talk-2/q{at}", "talk-2", CHINESE, 5, None, "null", HEBREW, turns)
        for at, turns in enumerate([("D1:2", "D1:10"), (), *[("D1:2",)] * 9])
    ),
    Question(
        "talk-2/q11",
        "talk-2",
        "how many mills?",
        None,
        "2",
        "integer",
        None,
        ("D3:1",),
        kind="abstention",
        date="2023-06-02T09:30",
        evidence_sessions=("s1", HEBREW),
        abstention=True,
    ),
]
ATOMS = [
    Atom("talk-2/1/0", "talk-2", 1, 0, CHINESE, None, (), ("D1:10", "D1:2"), "cd" * 32),
    Atom(
        "talk-2/1/10",
        "talk-2",
        1,
        10,
        HEBREW,
        "2023-05-08T13:56",
        ("2023-05-08", "2022-01-01"),
        (),
        "",
    ),
]
MENTIONS = [
    Mention("ner", "atom", "a1", CHINESE, 2),
    Mention("noun", "atom", "a1", HEBREW, 1),
    Mention("noun", "question", "q1", "mill", 3),
]
EDGES = [
    Edge("a", "b", "similar_to", 0.1 + 0.2, "embedding"),
    Edge("a", "b", "similar_to", 1.0, "rule"),
    Edge("b", "a", "needs", None, "curated"),
]
RANKINGS = [
    Ranking("dense", "t1", ("b", "a"), (0.5, -0.25)),
    Ranking("dense", "t2", (), (), "empty", "nothing fits"),
    Ranking("lexical", "t1", (), (), "failed", CHINESE),
]
SCORES = [
    Score("library", "s", "dense", "test", "all", "mrr", None, 3, 0.5, 0.4, 0.6),
    Score("library", "s", "dense", "test", "all", "recall", 5, 3, 1.0, 1.0, 1.0, True),
    Score("library", "s", "dense", "test", "all", "recall", 10, 0, None, None, None),
    Score("memory", "a", "lexical", "val", "temporal", "recall", 5, 1, 0.0, 0.0, 0.0),
]
QUERY_SCORES = [
    QueryScore("dense", "t1", "mrr", None, 0.5),
    QueryScore("dense", "t1", "recall", 5, None),
    QueryScore("dense", "t1", "recall", 10, 1.0),
]


def provenance(kind, **changes):
    """Give the provenance of an invented job."""
    fields = {"study": "tiny", "package_version": "0.1.0", "code": "c0de", **changes}
    return Provenance(kind=kind, **fields)


def python(code, *arguments, **options):
    """Start a Python process that runs `code`; its output is text."""
    options.setdefault("cwd", REPOSITORY)
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def output_of(process):
    """Wait for a process and give what it wrote; it must end well."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


@contextmanager
def unprivileged():
    """Act as a user whom permissions hold back, also where the tests run as root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
