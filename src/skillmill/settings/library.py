"""The skill library track."""

from typing import Annotated, Literal

from pydantic import Field

from skillmill.settings.edges import Edges
from skillmill.settings.section import STUDY, Count, Cutoffs, Section, Share
from skillmill.settings.trace import Trace


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
    body_weight: Annotated[float, Field(ge=0)] = 0.7
    """What the cosine of a part of a body counts times, where bodies are indexed."""
    candidates: Annotated[int, Field(ge=1)] = 500
    """Skills that the sentences of a task are compared with."""
    late_weight: Annotated[float, Field(ge=0)] = 0.4
    """What late interaction adds in the arm hybrid+late; 0 leaves the arm out."""
    late_depth: Annotated[int, Field(ge=1)] = 100
    """Skills that late interaction reranks."""
    late_up_to: Annotated[int, Field(ge=0)] = 500
    """Skills beyond which the arm is left out: in a large library it loses."""
    gate: Annotated[float, Field(ge=0, le=2)] = 0.34
    """Off topic is a query whose best cosine and share add up to less; 0: none is."""
    gate_share: Annotated[float, Field(ge=0)] = 0.2
    """Weight of the share: the best BM25 score, in idf of a unique word."""
    gate_growth: Annotated[float, Field(ge=0)] = 0.025
    """What the gate rises by with the logarithm of thousands of skills."""
    gate_words: Annotated[float, Field(ge=0)] = 0.37
    """The same for the keyword arm, by the share alone."""
    gate_words_growth: Annotated[float, Field(ge=0)] = 0.03
    """What that rises by."""


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


class Serve(Section):
    """What agents are told about a library."""

    contradictory: Share = 0.05
    """Share of typed pairs that contradict each other up to which prerequisites, next
    steps and alternatives are told; beyond it the graph's directions mislead."""


class Adapt(Section):
    """An encoder trained on the library's own texts; made when asked for by name."""

    kinds: list[Literal["name", "section", "query"]] = ["name", "section", "query"]
    """What is paired with a skill's name and description."""
    sections: Annotated[int, Field(ge=0)] = 8
    """The most sections of each body."""
    queries: str | None = None
    """Logged or written queries (.jsonl); null: none."""
    epochs: Annotated[int, Field(ge=1)] = 1
    """Passes over all pairs."""
    batch: Annotated[int, Field(ge=2)] = 32
    """Pairs a step, which are told apart from each other."""
    rate: Annotated[float, Field(gt=0)] = 2e-5
    """Step of AdamW."""
    temperature: Annotated[float, Field(gt=0)] = 0.05
    """What cosines are divided by."""
    layers: Annotated[int, Field(ge=1)] = 2
    """Layers from the top whose weights change."""
    max_length: Annotated[int, Field(ge=8)] = 64
    """Pieces read of each text while training."""


class Learned(Section):
    """What learning from tasks adds, on tasks held out; made when asked for by name."""

    folds: Annotated[int, Field(ge=2)] = 5
    """Parts of the tasks, of which each is held out once."""
    repeats: Annotated[int, Field(ge=1)] = 20
    """Draws of the folds, which are averaged."""
    penalty: Annotated[float, Field(gt=0)] = 1.0
    """What draws the weights back to those of the hybrid ranker."""


class Library(Section):
    """Skill library track: SKILL.md files, rankers, graphs."""

    path: str | None = None
    """Folder of SKILL.md files, or a registry file (.jsonl, .jsonl.gz) of listings;
    null turns the library track off."""
    skip: list[str] = ["node_modules", "__pycache__"]
    """Names of folders that are not looked into; hidden ones never are."""
    depth: Annotated[int, Field(ge=1)] = 32
    """Folders below the library's that are looked into, one inside the other."""
    ids: Literal["folder", "name"] = "folder"
    """What a skill's id is: its folder, or its name where no other skill is called so,
    which a move within the library leaves as it is."""
    removals: Share = 0.5
    """Share of a built study's skills that may be gone at once; 1: any."""
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
    trace: Trace = Trace()
    adapt: Adapt = Adapt()
    learned: Learned = Learned()
    serve: Serve = Serve()
    gate_encoder: str = "bundled:all-MiniLM-L6-v2"
    """The encoder that `ranker.gate` was fitted for; with another one it is off."""
    cutoffs: Cutoffs = [1, 5, 10]
    """Cut-offs k of hit, recall, full coverage and nDCG."""
