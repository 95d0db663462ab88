"""skillmill: retrieval for agents as a build that redoes only what changed.

Artifacts: results/<study>/library/*.sqlite and results/<study>/memory/[shard/]*.sqlite,
one job one file; results/<study>/report.html. Model output is recorded in records/,
outside every declared output.
"""

import os
import sys
import uuid
from pathlib import Path

from snakemake.utils import min_version, validate

min_version("9.27.1")

try:
    import skillmill
except ImportError:
    sys.exit(
        f"error: the package skillmill cannot be imported by {sys.executable}; install it"
        f" with `{sys.executable} -m pip install -e {workflow.current_basedir}`"
    )

from skillmill.interfaces.garbage import collect_seldom

collect_seldom()

BASE = Path(str(workflow.current_basedir))


configfile: str(BASE / "config.yaml")


include: "rules/common.smk"
include: "rules/inputs.smk"
include: "rules/catalogue.smk"
include: "rules/memory.smk"
include: "rules/vectors.smk"
include: "rules/graphs.smk"
include: "rules/edges.smk"
include: "rules/trace.smk"
include: "rules/evaluation.smk"
include: "rules/answers.smk"
include: "rules/evolution.smk"
include: "rules/report.smk"


rule all:
    """Everything of every study of this configuration."""
    default_target: True
    input:
        library_targets(),
        edge_targets(),
        trace_targets(),
        memory_targets(),
        report_targets(),


rule library:
    """The library track."""
    input:
        library_targets(),
        edge_targets(),
        trace_targets(),


rule memory:
    """The memory track."""
    input:
        memory_targets(),


rule evolution:
    """Retrieval skills and their router, every variant and run, and what they score."""
    input:
        evolution_targets(),


onstart:
    checked(mark_start)
    # Of a run that was killed.
    rescue()
    keep_results(Path("results"))
    tidy_records()


onsuccess:
    rescue()
    forget_results()
    clear_leftovers(Path("results"))
    write_jobs_pages()
    show_summary()


onerror:
    put_back()
    show_causes()
