"""Reasons out of Snakemake's dry run."""

import pytest

from skillmill.errors import InputError
from skillmill.interfaces.why import Cause, plan_lines, plan_rows, read_plan

SAID = """\
Building DAG of jobs...
[Mon Nov 30 08:58:15 2026]
rule catalogue:
    input: a/SKILL.md, b/SKILL.md
    output: r/catalogue.sqlite
    jobid: 1
    reason: Updated input files: a/SKILL.md
    wildcards: study=sample
[Mon Nov 30 08:58:15 2026]
rule vectors:
    input: r/catalogue.sqlite
    output: r/vectors.sqlite
    jobid: 6
    reason: Input files updated by another job: r/catalogue.sqlite; Params have \
changed since last execution: Union of exclusive params before and now across all \
output: before: '0123456789ab' now: '0a23456789ab'\x20
[Mon Nov 30 08:58:15 2026]
rule relations:
    input: r/0/atoms.sqlite
    output: r/0/relations.sqlite
    reason: Missing output files: r/0/relations.sqlite; Params have changed since \
last execution: Union of exclusive params before and now across all output: before: \
<nothing exclusive> now: 7\x20
[Mon Nov 30 08:58:15 2026]
localrule similar:
    output: r/similar.sqlite
    reason: Input files updated by another job: r/vectors.sqlite
rule all:
    input: r/similar.sqlite
    reason: Input files updated by another job: r/similar.sqlite
Job stats:
"""


def test_each_job_is_read_with_its_reasons_in_our_words():
    jobs = read_plan(SAID)
    assert [job.rule for job in jobs] == [
        "catalogue", "vectors", "relations", "similar",
    ]  # fmt: skip
    assert jobs[0].causes == (Cause("input changed", ("a/SKILL.md",)),)
    assert jobs[1].causes == (
        Cause("follows", ("r/catalogue.sqlite",)),
        Cause("code changed"),
    )
    assert jobs[2].causes == (
        Cause("missing", ("r/0/relations.sqlite",)),
        Cause("settings changed", ("before: ", "now: 7")),
    )
    assert [job.follows for job in jobs] == [False, False, False, True]


def test_jobs_with_reasons_of_their_own_come_before_those_that_follow():
    lines = list(plan_lines(read_plan(SAID)))
    assert lines[:3] == [
        "4 jobs would run",
        "catalogue  r/catalogue.sqlite",
        "    input changed: a/SKILL.md",
    ]
    assert lines[-1] == "after them, because of what they make: similar"


def test_a_row_has_rule_outputs_and_causes():
    assert next(iter(plan_rows(read_plan(SAID)))) == {
        "rule": "catalogue",
        "outputs": ["r/catalogue.sqlite"],
        "follows": False,
        "causes": [{"kind": "input changed", "details": ["a/SKILL.md"]}],
    }


def test_many_files_are_cut_to_three_and_counted():
    files = ", ".join(f"f{i}" for i in range(9))
    said = f"rule x:\n    output: y\n    reason: Updated input files: {files}\n"
    assert list(plan_lines(read_plan(said)))[2].endswith("f0, f1, f2 and 6 more")


def test_nothing_to_do_is_said():
    assert list(plan_lines(read_plan("Nothing to be done"))) == ["nothing would run"]


def test_a_job_without_a_reason_is_refused_by_name():
    with pytest.raises(InputError, match=r"rule x: expected a reason"):
        read_plan("rule x:\n    output: y\n")


def test_a_reason_in_other_words_is_passed_on():
    said = "rule x:\n    output: y\n    reason: Because.\n"
    assert read_plan(said)[0].causes == (Cause("other", ("Because.",)),)
