"""One other memory package over the questions of a work file; run by its own Python.

    python peers_adapters.py mem0 work.json found.json

The work file holds conversations (turns, pairs of turns, questions) and the folder of
the encoder. What is written: the package's version, and for each question the items it
returned, best first, as lists of turn ids. Nothing here imports skillmill, so that the
packages may live in an environment of their own. Packages are used without a language
model and without the network, with the encoder that skillmill uses.
"""

# ruff: noqa: PLC0415 - each package is imported only where it is run

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path

#: Items asked of a package: more than fill the budget of words.
DEPTH = 120
Rows = Iterator[tuple[str, list[list[str]]]]


def main(name: str, work: Path, output: Path) -> None:
    """Run one package and write what it found."""
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "MEM0_TELEMETRY": "False",
        "ANONYMIZED_TELEMETRY": "False",
        "OPENAI_API_KEY": "none",
    }
    job = json.loads(work.read_text(encoding="utf-8"))
    run, package = PEERS[name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MEM0_DIR"] = folder
        found = dict(
            row
            for conversation in job["conversations"]
            for row in run(conversation, job["encoder"], folder)
        )
    told = {"version": metadata.version(package), "found": found}
    output.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")


def said(conversation: dict, turn: str) -> str:
    """A turn's text with the date of its session."""
    own = conversation["turns"][turn]
    return f"{own['date']} {own['text']}".strip()


def plain_bm25s(conversation: dict, encoder: str, folder: str) -> Rows:
    """Pairs of turns by bm25s with its stop words, stems and the date in the text."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    pairs = conversation["pairs"]
    texts = [" ".join(said(conversation, turn) for turn in pair) for pair in pairs]
    index = bm25s.BM25()
    options = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    index.index(bm25s.tokenize(texts, **options), show_progress=False)
    for question in conversation["questions"]:
        asked = bm25s.tokenize([question["text"]], **options)
        rows, _ = index.retrieve(asked, k=min(DEPTH, len(pairs)), show_progress=False)
        yield question["id"], [pairs[int(row)] for row in rows[0]]


def mem0(conversation: dict, encoder: str, folder: str) -> Rows:
    """One memory a turn, stored as it is (`infer=False`), in a local Qdrant."""
    from mem0 import Memory

    place = Path(folder, conversation["id"])
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": str(place), "embedding_model_dims": 384},
            },
            "embedder": {"provider": "huggingface", "config": {"model": encoder}},
            "llm": {"provider": "openai", "config": {"api_key": "none"}},
            "history_db_path": str(place) + ".db",
        }
    )
    for turn, own in conversation["turns"].items():
        memory.add(own["text"], user_id="u", infer=False, metadata={"turn": turn})
    for question in conversation["questions"]:
        found = memory.search(
            question["text"], filters={"user_id": "u"}, top_k=DEPTH, threshold=0.0
        )
        items = [[row["metadata"]["turn"]] for row in found["results"]]
        yield question["id"], items


def taosmd(conversation: dict, encoder: str, folder: str) -> Rows:
    """Late interaction, additive fusion, and two neighbours on each side of a hit.

    Its sentence-transformers path leaves token vectors at any length, so it is given
    vectors of length one, as its ONNX path makes them. Without its tagger it uses
    words in place of lemmas, which does it no harm here.
    """
    import taosmd.utils.lemmatization as lemmas
    from taosmd.vector_memory import VectorMemory

    if not hasattr(lemmas.lemmatize_for_bm25, "cache_info"):
        lemmas.lemmatize_for_bm25 = lru_cache(None)(lemmas.lemmatize_for_bm25)
    model = _sentence_encoder(encoder)

    async def tokens(text: str, task: str = "") -> list[list[float]]:
        states = model.encode(text, output_value="token_embeddings").float()
        unit = states / states.norm(dim=1, keepdim=True).clamp(min=1e-12)
        return unit.cpu().tolist()

    async def run() -> list[tuple[str, list[list[str]]]]:
        place = str(Path(folder, conversation["id"] + ".db"))
        memory = VectorMemory(
            place, embed_mode="local", local_model=encoder, late_interaction=True
        )
        memory.embed_tokens = tokens
        await memory.init()
        order = list(conversation["turns"])
        for turn in order:
            await memory.add(said(conversation, turn), {"turn": turn})
        rows = []
        for question in conversation["questions"]:
            hits = await memory.search(
                question["text"], limit=DEPTH, fusion="mem0_additive"
            )
            own = [_turn_of(hit) for hit in hits]
            rows.append((question["id"], _with_neighbours(own, order, conversation)))
        await memory.close()
        return rows

    yield from asyncio.run(run())


def engram(conversation: dict, encoder: str, folder: str) -> Rows:
    """Two turns a document, sliding by one, without its synthetic documents.

    The setting that is best for it: six turns and synthetic documents, its defaults,
    hold less of the evidence in as many words.
    """
    from engram.backends.base import Document
    from engram.ingestion.parser import _chunk_turns, session_to_documents
    from engram.retrieval.embedder import Embedder
    from engram.retrieval.pipeline import RetrievalPipeline

    sessions: dict[str, list[dict]] = {}
    for turn, own in conversation["turns"].items():
        spoken = {"role": "user", "content": own["text"], "turn": turn}
        sessions.setdefault(str(own["session"]), []).append(spoken)
    embedder, documents, held = Embedder(encoder), [], {}
    for name, turns in sessions.items():
        made = session_to_documents(
            turns,
            name,
            timestamp=conversation["turns"][turns[0]["turn"]]["date"],
            include_assistant=True,
            generate_preference_doc=False,
            generate_assistant_doc=False,
            generate_topic_doc=False,
            chunk_max_turns=2,
        )
        for chunk, document in zip(_chunk_turns(turns, 2), made, strict=True):
            held[document["id"]] = [spoken["turn"] for spoken in chunk]
            documents.append(Document(document["id"], document["text"]))
    vectors = embedder.encode_documents([document.text for document in documents])
    for document, vector in zip(documents, vectors, strict=True):
        document.embedding = vector
    pipeline = RetrievalPipeline(embedder, use_reranker=False)
    for question in conversation["questions"]:
        found = pipeline.search(question["text"], documents, top_k=DEPTH)
        yield question["id"], [held[document.id] for document in found]


@lru_cache(1)
def _sentence_encoder(folder: str) -> object:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(folder, device="cpu")


def _turn_of(hit: dict) -> str:
    """The turn that a hit of taosmd was stored with."""
    meta = hit.get("metadata") or json.loads(hit["metadata_json"])
    return meta["turn"]


def _with_neighbours(
    hits: list[str], order: list[str], conversation: dict
) -> list[list[str]]:
    """Each hit, then the turns before and after it in its session, nearest first."""
    place = {turn: number for number, turn in enumerate(order)}
    session = {turn: own["session"] for turn, own in conversation["turns"].items()}
    items = []
    for hit in hits:
        for step in (0, 1, -1, 2, -2):
            near = place[hit] + step
            if 0 <= near < len(order) and session[order[near]] == session[hit]:
                items.append([order[near]])
    return items


#: Name -> what runs it, and its distribution.
PEERS: dict[str, tuple[Callable[[dict, str, str], Rows], str]] = {
    "bm25s": (plain_bm25s, "bm25s"),
    "mem0": (mem0, "mem0ai"),
    "taosmd": (taosmd, "taosmd"),
    "engram-search": (engram, "engram-search"),
}

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
