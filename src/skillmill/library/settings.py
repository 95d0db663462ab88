"""Knobs of the rankers."""

from dataclasses import dataclass
from typing import Literal, get_args

Arm = Literal["keyword", "semantic", "hybrid", "hybrid+late"]
Fusion = Literal["weighted", "rrf"]


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """How skills are scored; docs/library.md says how each value was chosen.

    Attributes
    ----------
    fusion : str
        Of the hybrid arms: `weighted`, both scores brought to [0, 1] and summed,
        cosine with `dense_weight` and BM25 with the rest; or `rrf`, reciprocal ranks
        of both lists with `rrf_k`.
    depth : int
        The most skills returned, and the length of the lists that RRF fuses.
    k1, b, k3 : float
        BM25's. A long task repeats words; with a high `k3` the one it repeats most
        would decide how all other matches are stretched.
    name_weight : int
        How often the words of a name count in BM25, beside those of the description.
    name_bonus : float
        Added by the hybrid arms where a task holds every word of a skill's name.
    full_match : float
        BM25 score, as a multiple of `gate.rare_word`, from which a best match counts in
        full in a weighted fusion. A weaker best one (a short query that shares a word
        or two) counts less, so that it does not outvote the cosine.
    body_weight : float
        What the cosine of a part of a body counts times, where bodies are indexed.
    candidates : int
        Skills that the sentences of a task are compared with: the best by the whole
        text. Sentences of a library that is not larger are compared with all.
    late_weight, late_depth : float, int
        What `coverage`, stretched to [0, 1], adds in the arm `hybrid+late`, and among
        how many of the best skills.
    late_up_to : int
        Skills beyond which a study leaves that arm out: in a large library many short
        descriptions are covered whole by a long task, and it loses.
    gate, gate_share, gate_growth : float
        Below which a query is off topic for the hybrid arms, see `gate.is_off_topic`;
        a `gate` of 0 turns it off.
    gate_words, gate_words_growth : float
        The same for `keyword`, which knows no cosine.
    """

    fusion: Fusion = "weighted"
    dense_weight: float = 0.5
    rrf_k: float = 60
    depth: int = 50
    k1: float = 2.0
    b: float = 0.9
    k3: float = 0.5
    name_weight: int = 2
    name_bonus: float = 0.1
    full_match: float = 3.0
    body_weight: float = 0.7
    candidates: int = 500
    late_weight: float = 0.4
    late_depth: int = 100
    late_up_to: int = 500
    gate: float = 0.34
    gate_share: float = 0.2
    gate_growth: float = 0.025
    gate_words: float = 0.37
    gate_words_growth: float = 0.03

    def __post_init__(self) -> None:
        """Refuse values that no ranking can be made with."""
        if self.fusion not in get_args(Fusion):
            raise ValueError(f"fusion is one of {get_args(Fusion)}, not {self.fusion}")
        if not 0 <= self.dense_weight <= 1:
            raise ValueError(
                f"expected dense_weight in [0, 1], got {self.dense_weight}"
            )
        least = {"rrf_k": 0, "depth": 1, "name_weight": 0, "name_bonus": 0}
        least |= {
            "full_match": 0,
            "body_weight": 0,
            "candidates": 1,
            "late_weight": 0,
            "late_depth": 1,
        }
        for name, low in least.items():
            if getattr(self, name) < low:
                raise ValueError(f"expected {name} >= {low}, got {getattr(self, name)}")


DEFAULTS = RankerSettings()
