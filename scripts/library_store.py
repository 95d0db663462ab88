"""Rule `library_store`: catalogue, vectors and graphs in, one library file out.

Tables: skill, alias, load_count, load_problem, passage, vector and encoder (of skills
alone), edge (typed ones and similar_to), edge_origin, edge_flag, census (how often the
typed edges contradict each other), posting (which skills hold a word: search by words
without an index to build). `search`, `neighbours`, `mcp` and `hook` read nothing else.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillmill.evaluate.topology import census_rows
from skillmill.interfaces.job import Counts, job
from skillmill.library.passages import WHOLE
from skillmill.library.settings import RankerSettings
from skillmill.library.wordindex import WordIndex
from skillmill.store import artifact, catalogue, edges, graph, load, passages, vectors
from skillmill.store.postings import save_postings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from snakemake.iocontainers import snakemake


def main(
    catalogue_path: Path,
    vectors_path: Path,
    similar_path: Path,
    edges_path: Path,
    ranker: "Mapping[str, Any]",
    output: Path,
    provenance: artifact.Provenance,
    counts: Counts,
) -> None:
    """Copy what is served, and index the words of names and descriptions."""
    with artifact.reading(catalogue_path, "catalogue") as db:
        skills, reports = catalogue.load_skills(db), load.load_report(db)
        rows = passages.load_passages(db, "skill")
    with artifact.reading(vectors_path, "vectors") as db:
        found, encoder = vectors.load_vectors(db, "skill"), vectors.load_encoder(db)
    with artifact.reading(similar_path, "edges") as db:
        similar = edges.load_edges(db, "similar_to")
    with artifact.reading(edges_path, "skill-graph") as db:
        typed = edges.load_edges(db)
        origins = graph.load_rows(db, graph.EdgeOrigin)
        flags = graph.load_rows(db, graph.EdgeFlag)
        dropped = graph.load_rows(db, graph.DroppedEdge)
    counts.add("ok", len(skills))
    texts = [text for _, part, text in rows if part == WHOLE]
    words = WordIndex(texts, [s.name for s in skills], RankerSettings(**ranker))
    with artifact.writing(output, provenance) as db:
        load.save_outcomes(db, "library_store", counts.states)
        catalogue.save_skills(db, skills)
        passages.save_passages(db, "skill", rows)
        for report in reports:
            load.save_report(db, report)
        vectors.save_encoder(db, encoder)
        vectors.save_vectors(db, "skill", *found)
        edges.save_edges(db, [*similar, *typed])
        graph.save_rows(db, [*origins, *flags, *census_rows(typed, dropped)])
        save_postings(db, words.postings())


if __name__ == "__main__":
    with job(snakemake) as this:
        given = snakemake.input
        main(
            catalogue_path=Path(given.catalogue),
            vectors_path=Path(given.vectors),
            similar_path=Path(given.similar),
            edges_path=Path(given.edges),
            ranker=snakemake.params.ranker,
            output=Path(snakemake.output.library),
            provenance=this.provenance("library"),
            counts=this.counts,
        )
