"""Editing a module reruns exactly the rules that use it, and what follows them."""

import re

import pytest

from skillmill import codehash
from tests.conftest import REPOSITORY
from tests.workflow.conftest import Workflow, code_copy, sample_copy

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


@pytest.fixture(scope="module")
def own(tmp_path_factory, records):
    """The sample, built by a copy of the code that may be edited."""
    code = code_copy(tmp_path_factory.mktemp("code") / "code")
    flow = sample_copy(tmp_path_factory.mktemp("own"), records)
    flow = Workflow(flow.root, flow.records, code)
    flow.run(run="own")
    return flow


def planned(flow):
    """Rules of the jobs that a dry run announces, with `Params` reasons apart."""
    done = flow.run("--dry-run", run="plan")
    said = done.stdout + done.stderr
    blocks = re.split(r"\n(?=(?:local)?rule )", said)
    rules = {m[1] for b in blocks if (m := re.match(r"(?:local)?rule (\w+):", b))}
    own_reason = {
        m[1]
        for b in blocks
        if (m := re.match(r"(?:local)?rule (\w+):", b)) and "Params have changed" in b
    }
    return rules, own_reason


@pytest.mark.parametrize(
    ("module", "some"),
    [
        ("compute/lexical.py", {"rankings", "rollouts"}),
        ("library/ranker.py", {"rankings"}),
        ("data/locomo.py", {"conversations"}),
        ("models/encoder.py", {"vectors"}),
        ("models/tagger.py", {"entities"}),
        ("report/page.py", {"report"}),
    ],
)
def test_editing_a_module_reruns_its_rules_u04(own, module, some):
    file = own.code / "src" / "skillmill" / module
    users = {
        script.stem
        for script in (REPOSITORY / "scripts").glob("*.py")
        if codehash.PACKAGE / module in codehash.closure(script)[0]
    }
    assert some <= users
    assert not users >= {"catalogue", "conversations"}
    before = file.read_bytes()
    try:
        file.write_bytes(before + b"\nEDITED = True\n")
        rules, reasons = planned(own)
    finally:
        file.write_bytes(before)
    # Of a rule that follows another one, Snakemake names only the new input.
    assert reasons
    assert reasons <= users
    assert rules >= users & {job.rule for job in own.jobs("own")}


def test_nothing_is_planned_when_no_module_changed(own):
    assert planned(own) == (set(), set())


def test_editing_the_ranker_leaves_the_memory_track_alone(own):
    file = own.code / "src" / "skillmill" / "library" / "ranker.py"
    before = file.read_bytes()
    try:
        file.write_bytes(before + b"\nEDITED = True\n")
        rules, _ = planned(own)
    finally:
        file.write_bytes(before)
    assert not rules & {"conversations", "atoms", "entities", "vectors", "rollouts"}
