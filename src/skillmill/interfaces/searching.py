"""Search of a built library from the command line: find its file, ask once."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from skillmill.errors import InputError, StoreError
from skillmill.interfaces.found import Found, Hit
from skillmill.library.query import Query
from skillmill.library.ranker import Ranker
from skillmill.library.settings import Arm, RankerSettings
from skillmill.library.wordindex import StoredWords
from skillmill.store import artifact, catalogue
from skillmill.store.postings import load_posting
from skillmill.types import LibrarySkill

#: Arms that can be asked; late interaction needs token vectors, which no library holds.
SERVED_ARMS: tuple[Arm, ...] = tuple(a for a in get_args(Arm) if a != "hybrid+late")

#: Hits of one search at most.
MOST = 100

#: Characters of a query. What is longer is a file and no task; it is refused before
#: anything reads it.
LONGEST = 100_000

#: Where a study keeps what is served of its library.
STORE = "library/library.sqlite"


def library_store(results: Path, study: str | None = None) -> Path:
    """The library file of a study, or of the only one there is.

    `results` may also be such a file itself.

    Raises
    ------
    InputError
        If there is none, or several and no study is named.
    """
    if results.is_file():
        return results
    known = {p.parts[-3]: p for p in sorted(results.glob(f"*/{STORE}"))}
    if study is not None and study in known:
        return known[study]
    if study is None and len(known) == 1:
        return next(iter(known.values()))
    there = ", ".join(known) or "none yet, run `skillmill run` first"
    said = "several libraries are" if study is None and known else "no library is"
    wanted = f" of study {study!r}" if study else ""
    way = "; name one with --study" if len(known) > 1 or study else ""
    raise InputError(f"{said} built{wanted} below {results}{way}; there are: {there}")


def search(path: Path, text: str, arm: Arm = "hybrid", limit: int = 5) -> Found:
    """Search a library file once; parameters and errors as `ServedLibrary.search`.

    By words alone only the postings of the query's words are read.
    """
    if arm != "keyword":
        # Encoders are slow to import, and words alone need none.
        from skillmill.interfaces.served import ServedLibrary  # noqa: PLC0415

        return ServedLibrary(path).search(text, arm, limit)
    check_query(text)
    check_search(arm, limit)
    with artifact.reading(path, "library") as db:
        made = artifact.load_provenance(db)
        settings = ranker_settings(made, path)
        ids = catalogue.load_ids(db)
        words = StoredWords(len(ids), lambda word: load_posting(db, word), settings)
        ranker = Ranker(ids, (), None, settings, words=words)
        query = Query("query", text)
        wanted = ranker.answer(arm, query, limit)[0].items
        return answer(ranker, catalogue.find_skills(db, wanted), query, arm, limit)


def ranker_settings(made: artifact.Provenance, path: Path) -> RankerSettings:
    """The ranker that a library file was built for.

    Raises
    ------
    StoreError
        If another version of this package built it, with other knobs.
    """
    try:
        return RankerSettings(**made.params["ranker"])  # type: ignore[arg-type]
    except (TypeError, KeyError, ValueError) as error:
        raise StoreError(
            f"{path}: expected the settings of this version's ranker, found others"
            f" ({error}); build the library again with `skillmill run`",
            record=str(path),
        ) from error


def check_query(text: str) -> str:
    """The query, if it is one.

    Raises
    ------
    InputError
        If it is blank or longer than `LONGEST`.
    """
    if not text.strip():
        raise InputError("expected a query in words, got a blank one; say what to do")
    if len(text) > LONGEST:
        raise InputError(
            f"expected a query of at most {LONGEST:,} characters, got {len(text):,};"
            " describe the task and leave its files out"
        )
    return text


def check_search(arm: str, limit: int) -> None:
    """Refuse what no search can be made with.

    Raises
    ------
    InputError
        If it cannot.
    """
    if arm not in SERVED_ARMS:
        raise InputError(f"expected an arm of {', '.join(SERVED_ARMS)}, got {arm!r}")
    if not 1 <= limit <= MOST:
        raise InputError(f"expected between 1 and {MOST} results, got {limit}")


def answer(
    ranker: Ranker,
    skills: Mapping[str, LibrarySkill],
    query: Query,
    arm: Arm,
    limit: int,
) -> Found:
    """Rank for one query and put skills to the ids."""
    ranking, parts = ranker.answer(arm, query, limit)
    hits = tuple(
        Hit(rank, skills[item], score, _rounded(parts[item]))
        for rank, (item, score) in enumerate(
            zip(ranking.items, ranking.scores, strict=True), start=1
        )
    )
    return Found(query.text, arm, ranking.state, ranking.reason, hits)


def _rounded(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in parts.items()}
