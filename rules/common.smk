"""Functions the rule files share; no rule lives here."""

import re

import yaml
from snakemake.utils import update_config

from skillmill.codehash import code_of as code_of_script
from skillmill.config import SCHEMA, check_config, find_path, require_track
from skillmill.data.library import library_files
from skillmill.errors import SkillmillError
from skillmill.evaluate.judge_roles import ROLES as JUDGE_ROLES
from skillmill.interfaces.contents import check_times, contents
from skillmill.interfaces.kept import (
    clear_leftovers,
    forget_results,
    keep_results,
    rescue_judged,
    restore_results,
)
from skillmill.interfaces.removals import check_removals
from skillmill.interfaces.parts import require_parts
from skillmill.interfaces.run import mark_start
from skillmill.interfaces.source import Source
from skillmill.interfaces.splitting import split_conversations

RUN = os.environ.setdefault("SKILLMILL_RUN", uuid.uuid4().hex[:12])


def refuse(message, code=2):
    """Stop with one sentence; a WorkflowError would print the lines it passed."""
    sys.stderr.write(f"error: {message}\n")
    sys.exit(code)


def checked(function, *args, **kwargs):
    """A function's value; its error as one sentence and an exit code."""
    try:
        return function(*args, **kwargs)
    except SkillmillError as error:
        refuse(error, error.exit_code)


def complete(given):
    """Lay a configuration over config.yaml, in place.

    As a module of another workflow ours gets that one's section alone: Snakemake reads
    no configfile of a module.
    """
    with open(BASE / "config.yaml") as file:
        whole = yaml.safe_load(file)
    update_config(whole, given)
    given |= whole


complete(config)
CONFIG = checked(check_config, config)
checked(require_track, CONFIG)
# Defaults are those of config.yaml. The schema's would lie in each role, variant and the
# like, where what is left out means the value of the section around it.
validate(config, str(SCHEMA), set_default=False)
DISTRACTORS = {
    CONFIG.study: CONFIG.library.distractors.count,
    **CONFIG.library.distractors.variants,
}
SHARDS = range(CONFIG.memory.shards)


wildcard_constraints:
    study="[A-Za-z0-9][A-Za-z0-9_.+-]*",
    shard=r"\d+",
    part=r"library|memory/\d+",
    variant="[A-Za-z0-9][A-Za-z0-9_.+-]*",
    run=r"\d+",
    step=r"[1-9]\d*",


def code_of(script):
    """Hash of the package code that a script of scripts/ runs."""
    return code_of_script(BASE / "scripts" / script)


def given(*inputs):
    """What input files from outside hold, as a param: a file, a list of them or neither.

    A file that was put back may look older than what was made of the one before. Known
    as the workflow is read: Snakemake takes no param that is made from a job's `input`
    for a reason to run it again.
    """
    lists = ([one] if isinstance(one, str) else one or [] for one in inputs)
    return contents(file for files in lists for file in files)


def grows(amount):
    """Memory (MB) or time (min) of a job: so much more with each attempt."""
    return lambda wildcards, attempt: amount * attempt


def source(key):
    """Where the path configured under a dotted key lies, or None when it is null."""
    value = CONFIG
    for part in key.split("."):
        value = getattr(value, part)
    if value is None:
        return None
    return str(checked(find_path, value, key, data_root=CONFIG.data_root, base=BASE))


def rescue():
    """Keep what a person filled in where a job made the file anew."""
    for path in rescue_judged(Path("results")):
        sys.stderr.write(
            f"note: {path} holds the verdicts of the sample that was drawn anew; name it"
            " as library.edges.audit\n"
        )


def put_back():
    """Put back results that failed jobs had before, as ones to be made again.

    Snakemake notes of a failed job, too, what it was made from: by that note what is put
    back would be up to date.
    """
    rescue()
    restored = set(map(str, restore_results(Path("results"))))
    for job in workflow.dag.jobs:
        for output in job.output:
            if str(output) in restored:
                workflow.persistence.cleanup_metadata(output)


def tidy_records():
    """Fold what earlier jobs recorded into one file a kind, so that look-ups stay fast."""
    from skillmill.store.fitness import require_locks
    from skillmill.store.merging import merge_records

    checked(require_locks, Path(CONFIG.records))
    checked(merge_records, Path(CONFIG.records))


def show_summary():
    """Say what every study built, its headline figures and where its page is."""
    from skillmill.interfaces.tables import summary

    for study in DISTRACTORS:
        if not Path("results", study).is_dir():
            continue
        # A run of single targets leaves stores of before, which may be of an older
        # form: that is worth a remark, and the run has done what it was asked for.
        try:
            summary(Path("results"), study)
        except SkillmillError as error:
            sys.stderr.write(f"note: no summary of {study}: {error}\n")


def write_jobs_pages():
    """A page of what the jobs of each study took, beside its report."""
    from skillmill.interfaces.jobs import write_jobs_page

    for study in DISTRACTORS:
        if Path("results", study).is_dir():
            try:
                write_jobs_page(Path(CONFIG.records), Path("results"), study)
            except (OSError, SkillmillError) as error:
                sys.stderr.write(f"note: no page of the jobs of {study}: {error}\n")


def show_causes():
    """Repeat the first cause of each failed job, so that it is the last thing said."""
    from skillmill.interfaces.show import jobs_of

    for job in checked(jobs_of, Path(CONFIG.records), RUN):
        if job.state == "failed":
            print(f"error: {job.rule}: {job.first_cause}", file=sys.stderr)
