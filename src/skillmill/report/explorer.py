"""The per-question table as data that the page's script filters and sorts."""

from collections.abc import Mapping, Sequence

from skillmill.errors import InputError
from skillmill.report.evidence import Evidence, evidence_data
from skillmill.report.inputs import Query, ReportInputs
from skillmill.report.tables import column_key, column_name, percent
from skillmill.report.track import TRACKS, Track
from skillmill.report.visible import visible_text
from skillmill.types import QueryScore

#: Stands for an arm that was not run on a query, where None is a value of `n/a`.
NOT_RUN = -1

Column = tuple[str, int | None]


def explorer_data(inputs: ReportInputs) -> list[dict[str, object]]:
    """Return one entry per track that has scores per query, library first.

    An entry holds `queries` as [id, text, categories], `arms`, `metrics`, the
    place of the `chosen` metric, and `values[metric][query][arm]`: a place in
    `levels` (distinct values, ascending) and `labels` (the same in percent), None
    where the value cannot be computed, -1 where the arm was not run; `evidence` (see
    `evidence_data`); and `other`, the `name` and `values` of the run that this one is
    compared with and whether a query is `pooled`, or None. Its values are -1 also
    where the questions are not alike.

    Raises
    ------
    InputError
        If a score names a query that has no text.
    ValueError
        If two scores claim one arm, query and metric.
    """
    grouped: dict[Track, list[QueryScore]] = {track: [] for track in TRACKS}
    for score in inputs.query_scores:
        grouped[_track(inputs.queries, score.query)].append(score)
    return [_entry(track, grouped[track], inputs) for track in TRACKS if grouped[track]]


def _track(queries: Mapping[str, Query], query: str) -> Track:
    if query not in queries:
        raise InputError(
            f"expected a text for each scored query, got none for {query!r}: scores "
            "and queries are of different builds; run the evaluation again",
            record=query,
        )
    return queries[query].track


def _entry(
    track: Track, scores: Sequence[QueryScore], inputs: ReportInputs
) -> dict[str, object]:
    ids = {score.query for score in scores}
    queries = [query for query in inputs.queries if query in ids]
    arms = sorted({score.arm for score in scores})
    columns = sorted(
        {(score.metric, score.k) for score in scores}, key=lambda c: column_key(*c)
    )
    compared = inputs.compared
    there = compared.there.get(track, ()) if compared else ()
    levels = sorted(
        {round(s.value, 6) for s in (*scores, *there) if s.value is not None}
    )
    wanted = inputs.headline[track]
    return {
        "track": track,
        "arms": [visible_text(arm) for arm in arms],
        "metrics": [column_name(*column) for column in columns],
        "chosen": columns.index(wanted) if wanted in columns else 0,
        "levels": levels,
        "labels": [percent(level) for level in levels],
        "queries": [_query(query, inputs.queries[query]) for query in queries],
        "evidence": evidence_data(
            inputs.evidence.get(track, Evidence()),
            queries,
            arms,
            inputs.limits.evidence if track in inputs.evidence else 0,
        ),
        "values": _values(scores, columns, queries, arms, levels),
        "other": None
        if compared is None or track not in compared.there
        else {
            "name": visible_text(compared.name),
            "values": _values(there, columns, queries, arms, levels),
            "pooled": [query in compared.pooled for query in queries],
        },
    }


def _query(query: str, record: Query) -> list[object]:
    categories = [visible_text(category) for category in record.categories]
    return [visible_text(query), visible_text(record.text), categories]


def _values(
    scores: Sequence[QueryScore],
    columns: Sequence[Column],
    queries: Sequence[str],
    arms: Sequence[str],
    levels: Sequence[float],
) -> list[list[list[int | None]]]:
    place_of = {level: place for place, level in enumerate(levels)}
    places: dict[tuple[Column, str, str], int | None] = {}
    for score in scores:
        key = ((score.metric, score.k), score.query, score.arm)
        if key in places:
            raise ValueError(f"two scores for one query: {key}")
        value = score.value
        places[key] = None if value is None else place_of[round(value, 6)]
    return [
        [
            [places.get((column, query, arm), NOT_RUN) for arm in arms]
            for query in queries
        ]
        for column in columns
    ]
