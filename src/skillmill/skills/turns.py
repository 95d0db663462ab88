"""From atoms to single turns: the unit in which rerankers are compared.

An atom is a pair of turns and mostly one of them holds the answer, so a list of
turns in the order of the dialogue loses precision for nothing.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from skillmill.compute.fusion import minmax, top_rows
from skillmill.errors import StoreError
from skillmill.memory.spoken import named_speaker, only_asks, spoken_turns
from skillmill.memory.view import MemoryView
from skillmill.skills.state import Floats, QueryContext
from skillmill.types import Ranking

#: What a turn's own MaxSim counts against the score of its atom. From .25 to 1 recall
#: and reciprocal rank on LoCoMo differ by less than a point.
TURN_WEIGHT = 0.5

#: Beside these: for a turn of the one speaker whom the question names, and against a
#: turn that ends with a question. From .05 to .3 recall on LoCoMo differs by a point,
#: reciprocal rank by two.
OF_SPEAKER, OF_ASKING = 0.2, -0.2


def turn_ranking(
    ranking: Ranking,
    query: QueryContext,
    view: MemoryView,
    weight: float = TURN_WEIGHT,
) -> Ranking:
    """Order the turns of the atoms of a ranking.

    Parameters
    ----------
    ranking : Ranking
        Of atoms of the view, as a retrieval program gives it for the query.
    query, view
        With token vectors, unless `weight` is 0.
    weight : float
        A turn scores its atom's score plus `weight` times its own MaxSim with the
        query, both stretched to [0, 1] over the turns listed, plus `OF_SPEAKER` and
        `OF_ASKING` where they hold. 0: the turns of the atoms one after the other, as
        they were said.

    Returns
    -------
    Ranking
        Arm, query, state and reason as given; items are turn ids, best first, each
        once; of equal scores first the one whose atom comes first, then the earlier.

    Raises
    ------
    StoreError
        If token vectors are needed and lacking.
    """
    return turn_rankings([ranking], query, view, weight)[0]


def turn_rankings(
    rankings: Sequence[Ranking],
    query: QueryContext,
    view: MemoryView,
    weight: float = TURN_WEIGHT,
) -> list[Ranking]:
    """Order the turns of several rankings for one query, each as `turn_ranking` does.

    The MaxSim of a turn is computed once, however many rankings hold it.
    """
    items = {item for ranking in rankings for item in ranking.items}
    own: dict[int, Floats] = {}
    hints: dict[int, Floats] = {}
    if weight and items:
        if query.tokens is None:
            raise StoreError(
                f"question {query.id!r} has no token vectors to order turns by; build "
                "them, or ask for weight 0",
                record=query.id,
            )
        held = [view.row[item] for item in items]
        own = {row: view.late_turns(query.tokens, row) for row in held}
        named = named_speaker(query.text, view.speakers)
        hints = {row: _hints(view, row, named) for row in held}
    return [_ordered(ranking, view, weight, own, hints) for ranking in rankings]


def _hints(view: MemoryView, row: int, named: str | None) -> Floats:
    """What the form of each turn of an atom adds to its score."""
    atom = view.atoms[row]
    turns = spoken_turns(atom, view.speakers)
    if turns is None:
        return np.zeros(len(atom.turns))
    return np.array(
        [
            OF_SPEAKER * (speaker == named) + OF_ASKING * only_asks(words)
            for speaker, words in turns
        ]
    )


def _ordered(
    ranking: Ranking,
    view: MemoryView,
    weight: float,
    own: Mapping[int, Floats],
    hints: Mapping[int, Floats],
) -> Ranking:
    """Order the turns of one ranking; `own` is their MaxSim by atom row."""
    rows = [view.row[item] for item in ranking.items]
    turns = [turn for row in rows for turn in view.atoms[row].turns]
    if not turns:
        return Ranking(
            ranking.arm, ranking.query, (), (), ranking.state, ranking.reason
        )
    sizes = [len(view.atoms[row].turns) for row in rows]
    scores = np.repeat(minmax(ranking.scores), sizes)
    if weight:
        scores = scores + weight * minmax(np.concatenate([own[row] for row in rows]))
        scores = scores + np.concatenate([hints[row] for row in rows])
    ordered = top_rows(scores[None], np.arange(len(turns)), len(turns))[0].tolist()
    best: dict[str, float] = {}
    for place in ordered:
        best.setdefault(turns[place], round(float(scores[place]), 6))
    return Ranking(ranking.arm, ranking.query, tuple(best), tuple(best.values()))
