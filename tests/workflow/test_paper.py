"""The overlays of the paper: their splits on data of the right shape, and their jobs.

Nothing of the data sets is here: conversations are invented, as many as are needed for
the numbers of questions that the paper gives.
"""

import json
import os
import subprocess
import sys

import pytest
import yaml

from skillmill.config import check_config
from skillmill.evaluate.splitting import splits_of
from skillmill.interfaces.dealing import deal_out
from skillmill.interfaces.job import Counts
from skillmill.interfaces.source import Source
from skillmill.store import artifact
from skillmill.store.conversations import load_questions
from skillmill.types import ADVERSARIAL
from tests.conftest import REPOSITORY
from tests.data import test_locomo as locomo
from tests.data import test_longmemeval as longmemeval
from tests.data import test_perltqa as perltqa
from tests.interfaces.shelf import script

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

STATE = "results/erskill-locomo/evolution/default/run-0/step-12.sqlite"


def write_locomo(folder):
    """The five that are named, with their numbers of questions, and another one."""
    sizes = {"conv-26": 152, "conv-30": 81, "conv-41": 152, "conv-49": 156}
    sizes |= {"conv-50": 158, "conv-1": 9}
    ask, odd = locomo.asked(), locomo.asked(category=5)
    talks = [locomo.sample(name, [*[ask] * n, odd]) for name, n in sizes.items()]
    (folder / "talks.json").write_text(json.dumps(talks))


def write_longmemeval(folder):
    """Five hundred instances, as LongMemEval-S has."""
    rows = [longmemeval.instance(f"{n:08x}") for n in range(500)]
    (folder / "longmemeval_s.json").write_text(json.dumps(rows))


def write_perltqa(folder):
    """Eight characters with 170 questions each: no split is a whole number of them."""
    memory, asked = {}, []
    for n in range(8):
        name = f"Person {n}"
        memory[name] = {"profile": {"Protagonist": name, "Age": 40}}
        same = [perltqa.asked("How old?", "Age", 40)] * 170
        asked.append({name: {"profile": same}})
    (folder / "perltmem_en.json").write_text(json.dumps(memory))
    (folder / "perltqa_en.json").write_text(json.dumps(asked))


WRITE = {
    "locomo": write_locomo,
    "longmemeval": write_longmemeval,
    "perltqa": write_perltqa,
}


def overlay(name):
    return REPOSITORY / "configs" / "paper" / f"erskill-{name}.yaml"


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("locomo", (233, 152, 314)),
        ("longmemeval", (205, 98, 197)),
        ("perltqa", (439, 272, 483)),
    ],
)
def test_splits_have_the_sizes_of_the_paper(tmp_path, name, sizes):
    WRITE[name](tmp_path)
    declared = check_config(yaml.safe_load(overlay(name).read_text())).memory.splits
    output, counts = tmp_path / "conversations.sqlite", Counts()
    script("conversations").main(
        path=tmp_path,
        file_format=name,
        splits=declared.declared(),
        failed_share=0.2,
        output=output,
        provenance=artifact.Provenance("conversations", "s", "0", "c0de"),
        counts=counts,
    )
    with artifact.reading(output, "conversations") as db:
        questions = load_questions(db)
    splits = splits_of(declared.declared(), questions)
    homes = [home for names in splits.values() for home in names]
    assert len(homes) == len(set(homes))
    found = [
        sum(q.conversation in names and q.category != ADVERSARIAL for q in questions)
        for names in splits.values()
    ]
    assert tuple(found) == sizes
    # Three characters for 439, two for 272 and three for 483 are 166 too many.
    assert counts.total("skipped") == (166 if name == "perltqa" else 0)
    # Memories are made of the shards, which must ask no question more.
    files = tuple(map(str, tmp_path.glob("*.json")))
    source = Source("s", tmp_path, files, name, 3, 0.2, declared.declared())
    places = [tmp_path / str(n) / "conversations.sqlite" for n in range(3)]
    deal_out(source, places, "c0de")
    dealt = []
    for place in places:
        with artifact.reading(place, "conversations") as db:
            dealt += load_questions(db)
    assert sorted(q.id for q in dealt) == sorted(q.id for q in questions)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("locomo", {"evolve_step": 60, "evolution_scores": 1, "reflective_scores": 1}),
        ("perltqa", {"evolve_step": 55, "evolution_scores": 1}),
        ("longmemeval", {"transferred": 20, "memory_scores": 1}),
    ],
)
def test_an_overlay_of_the_paper_dry_runs(tmp_path, name, rules):
    folder = tmp_path / "data" / name
    folder.mkdir(parents=True)
    WRITE[name](folder)
    state = tmp_path / STATE
    state.parent.mkdir(parents=True)
    state.touch()
    done = subprocess.run(
        [
            sys.executable, "-m", "snakemake", "-s", str(REPOSITORY / "Snakefile"),
            "--workflow-profile", str(REPOSITORY / "profiles" / "default"),
            "-n", "-d", str(tmp_path), "--configfile", str(overlay(name)),
            "--", "memory", "evolution",
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "SKILLMILL_DATA": str(tmp_path / "data")},
        cwd=tmp_path,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    counts = {line[0]: line[1] for line in lines if len(line) == 2}
    assert {rule: int(counts[rule]) for rule in rules} == rules
    # What another study evolved is measured without any training.
    assert ("evolve_step" in counts) == (name != "longmemeval")
