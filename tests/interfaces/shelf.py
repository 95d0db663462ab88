"""A small library in a file, built by the scripts of the workflow."""

import importlib.util

from skillmill.interfaces.job import Counts
from skillmill.models.encoder import EncoderSettings
from skillmill.store import artifact, edges, graph
from skillmill.types import Edge
from tests.conftest import REPOSITORY

#: Folder -> name, description and body of a skill.
SHELF = {
    "data/charts": ("charts", "Draw bar and line charts from a table.", "Use a ruler."),
    "data/clean": ("clean", "Remove duplicate rows from a table of numbers.", "Sort."),
    "data/maps": ("maps", "Colour regions of a country on a paper map.", "Ink."),
    "kitchen/bread": ("bread", "Bake sourdough loaves in a stone oven.", "Knead it."),
    "kitchen/soup": ("soup", "Cook vegetable soup for a cold evening.", "Simmer."),
    "office/letters": ("letters", "Write formal letters to authorities.", "Dear all."),
}
EDGES = [
    Edge("data/charts", "data/clean", "requires", None, "curated"),
    Edge("data/clean", "data/maps", "feeds_into", None, "rule"),
    Edge("data/charts", "data/maps", "alternative_to", None, "llm"),
]
SIMILAR = [Edge("kitchen/bread", "kitchen/soup", "similar_to", 0.6, "embedding")]


def write_skills(root, shelf=None):
    """Write SKILL.md files below a folder."""
    for place, (name, description, body) in (shelf or SHELF).items():
        folder = root / place
        folder.mkdir(parents=True, exist_ok=True)
        text = f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"
        folder.joinpath("SKILL.md").write_text(text, encoding="utf-8")
    return root


def script(name):
    """Import a script; outside Snakemake its main part does not run."""
    file = REPOSITORY / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"script_{name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build_library(
    root,
    results,
    *,
    typed=EDGES,
    similar=SIMILAR,
    dropped=(),
    study="shelf",
    limit=0.05,
):
    """Build `library.sqlite` of the skills below `root`; its path."""
    folder = results / study / "library"
    encoder = {"name": "bundled:all-MiniLM-L6-v2", "backend": "onnx"}
    params = {
        "ranker": {"depth": 50, "k3": 0.5},
        "encoder": encoder,
        "serve": {"contradictory": limit},
    }

    def made(kind, **inputs):
        return artifact.Provenance(kind, study, "0", "c0de", params, inputs)

    files = sorted(root.rglob("SKILL.md"))
    places = {n: folder / f"{n}.sqlite" for n in ("catalogue", "vectors", "similar")}
    places |= {n: folder / f"{n}.sqlite" for n in ("edges", "library")}
    script("catalogue").main(
        {"root": root}, None, 0, 0, None, 1.0, places["catalogue"],
        made("catalogue", skills=files), Counts(),
    )  # fmt: skip
    script("vectors").main(
        [places["catalogue"]], EncoderSettings(**encoder), "truncate",
        results.parent / "records", places["vectors"], made("vectors"), Counts(),
    )  # fmt: skip
    with artifact.writing(places["similar"], made("edges")) as db:
        edges.save_edges(db, similar)
    with artifact.writing(places["edges"], made("skill-graph")) as db:
        edges.save_edges(db, typed)
        graph.save_rows(db, dropped)
    script("library_store").main(
        places["catalogue"], places["vectors"], places["similar"], places["edges"],
        params["ranker"], places["library"],
        made("library", catalogue=[places["catalogue"]], edges=[places["edges"]]),
        Counts(),
    )  # fmt: skip
    return places["library"]
