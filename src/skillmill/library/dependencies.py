"""Which skill makes what another one takes: the dependency graph of a library."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from skillmill.compute.fusion import DECIMALS
from skillmill.compute.vectors import nearest
from skillmill.library.ioschema import IOSchema, Slot, Source

Measure = Literal["containment", "slot", "either"]
#: An output, the input that it serves, and how alike they are.
Match = tuple[str, str, float]

#: Which of two slots' sources an edge has: that of the less trusted one.
TRUST: Final[Mapping[Source, int]] = {"declared": 2, "llm": 1, "rule": 0}


@dataclass(frozen=True, slots=True)
class DependencySettings:
    """When one skill's outputs serve another's inputs.

    Attributes
    ----------
    measure : str
        What an edge weighs: `containment`, the mean over the consumer's inputs of the
        best likeness with an output; `slot`, the best likeness of any one input that
        is an artefact, so that two producers of half each both count; `either`, the
        larger of them.
    threshold : float
        Least weight of an edge, inclusive, and least likeness of two slots.
    candidates : int
        The most producers that one consumer is linked to.
    common : int
        An output that more skills make proposes none of them: it says little, and
        would cost the square of their number.
    similar : int
        The most other names that one slot's name is compared with, where vectors of
        names are given.
    """

    measure: Measure = "either"
    threshold: float = 0.6
    candidates: int = 8
    common: int = 200
    similar: int = 8

    def __post_init__(self) -> None:
        """Refuse what no graph can be made with."""
        if self.measure not in get_args(Measure) or not 0 < self.threshold <= 1:
            raise ValueError(
                f"expected a measure out of {get_args(Measure)} and a threshold in"
                f" (0, 1], got {self.measure!r} and {self.threshold}"
            )
        if min(self.candidates, self.common, self.similar) < 1:
            raise ValueError("candidates, common and similar are at least 1")


@dataclass(frozen=True, slots=True)
class Dependency:
    """`consumer` takes what `producer` makes.

    `weight` is in (0, 1]; `slots` tell which output serves which input; `source` is
    that of the best pair of them.
    """

    producer: str
    consumer: str
    weight: float
    slots: tuple[Match, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Edges by consumer and producer, and inputs that were too common to follow.

    `too_common` maps a name to how many skills make it, `cut` counts producers beyond
    `candidates`.
    """

    edges: tuple[Dependency, ...]
    too_common: Mapping[str, int]
    cut: int


def find_dependencies(
    schemas: Sequence[IOSchema],
    settings: DependencySettings = DependencySettings(),
    vectors: Mapping[str, npt.ArrayLike] | None = None,
    affinity: Mapping[tuple[str, str], float] | None = None,
) -> Dependencies:
    """Join each consumer to the producers of its inputs.

    Parameters
    ----------
    schemas : sequence of IOSchema
        One a skill.
    settings : DependencySettings
    vectors : mapping of str to (d,) floats, optional
        Of slot names: names that differ are then alike by their cosine. Without, only
        equal names are.
    affinity : mapping, optional
        (producer, consumer) -> how near two skills are; decides between producers of
        equal weight and rarity.

    Returns
    -------
    Dependencies
        Edges sorted by consumer, then producer.

    Notes
    -----
    SkillTrace, eq. 7 and algorithm 1, lines 3 to 9. No matrix of all pairs is made:
    producers are looked up by slot, so the cost grows with the matches.
    ASSUME: the eight linking candidates of the paper are the best eight producers of
    a consumer; it does not say how they are chosen.
    """
    index = _Index(schemas, settings, vectors)
    edges: list[Dependency] = []
    cut = 0
    for schema in sorted(schemas, key=lambda schema: schema.skill):
        found = _best_first(index.producers(schema), schema.skill, affinity or {})
        kept = found[: settings.candidates]
        cut += len(found) - len(kept)
        kept.sort(key=lambda one: one.producer)
        edges += [one.edge(schema.skill) for one in kept]
    return Dependencies(tuple(edges), index.too_common, cut)


#: Likeness, output and source of what serves an input.
_Serving = tuple[float, str, Source]


class _Weighed(NamedTuple):
    """A producer of one consumer, before it is known whether it stays."""

    producer: str
    weight: float
    trust: int
    rarity: float
    matches: Mapping[str, _Serving]

    def edge(self, consumer: str) -> Dependency:
        """The edge into the consumer."""
        slots = tuple(
            (output, name, likeness)
            for name, (likeness, output, _) in sorted(self.matches.items())
        )
        source = next(name for name, rank in TRUST.items() if rank == self.trust)
        return Dependency(self.producer, consumer, self.weight, slots, source)


def _best_first(
    found: Iterable[_Weighed], consumer: str, affinity: Mapping[tuple[str, str], float]
) -> list[_Weighed]:
    """Producers of a skill by weight, trust, rarity, affinity and id."""
    return sorted(
        found,
        key=lambda one: (
            -one.weight,
            -one.trust,
            -one.rarity,
            -affinity.get((one.producer, consumer), 0.0),
            one.producer,
        ),
    )


class _Index:
    """Producers by the outputs that serve an input."""

    def __init__(
        self,
        schemas: Sequence[IOSchema],
        settings: DependencySettings,
        vectors: Mapping[str, npt.ArrayLike] | None,
    ) -> None:
        self._settings = settings
        self._makers: dict[str, list[tuple[str, Source]]] = defaultdict(list)
        wanted: set[str] = set()
        for schema in schemas:
            wanted.update(slot.name for slot in schema.wanted())
            for slot in schema.outputs:
                if slot.kind != "tool":
                    self._makers[slot.name].append((schema.skill, slot.source))
        self.too_common = {
            name: len(makers)
            for name, makers in sorted(self._makers.items())
            if len(makers) > settings.common and name in wanted
        }
        self._holding: dict[str, frozenset[str]] = {
            name: frozenset(skill for skill, _ in self._makers[name])
            for name in self.too_common
        }
        self._rarity = {
            name: math.log(len(schemas) / len(makers))
            for name, makers in self._makers.items()
        }
        self._serving = _alike(sorted(wanted), sorted(self._makers), vectors, settings)

    def producers(self, schema: IOSchema) -> Iterable[_Weighed]:
        """Producers of what a skill takes, in no order."""
        wanted = schema.wanted()
        served: dict[str, dict[str, _Serving]] = defaultdict(dict)
        for slot in wanted:
            for output, likeness in self._serving.get(slot.name, ()):
                if output in self._holding:
                    continue
                for maker, source in self._makers[output]:
                    before = served[maker].get(slot.name)
                    if before is None or likeness > before[0]:
                        served[maker][slot.name] = (likeness, output, source)
        served.pop(schema.skill, None)
        for maker, matches in served.items():
            if self._holding:
                self._add_common(maker, wanted, matches)
            found = self._weighed(maker, wanted, matches)
            if found.weight >= self._settings.threshold:
                yield found

    def _add_common(
        self, maker: str, wanted: Sequence[Slot], matches: dict[str, _Serving]
    ) -> None:
        """Count what a proposed producer also makes of what many make."""
        for slot in wanted:
            if maker in self._holding.get(slot.name, ()):
                matches.setdefault(slot.name, (1.0, slot.name, "rule"))

    def _weighed(
        self, maker: str, wanted: Sequence[Slot], matches: Mapping[str, _Serving]
    ) -> _Weighed:
        """Weigh a producer."""
        measure = self._settings.measure
        weight, total, rarity, trust = 0.0, 0.0, 0.0, 0
        for slot in wanted:
            serving = matches.get(slot.name)
            if serving is None:
                continue
            likeness, output, source = serving
            total += likeness
            rarity += self._rarity[output]
            trust = max(trust, min(TRUST[source], TRUST[slot.source]))
            if slot.kind == "artefact" and measure != "containment":
                weight = max(weight, likeness)
        if measure != "slot":
            weight = max(weight, total / len(wanted))
        return _Weighed(
            maker, round(weight, DECIMALS), trust, round(rarity, DECIMALS), matches
        )


def _alike(
    inputs: Sequence[str],
    outputs: Sequence[str],
    vectors: Mapping[str, npt.ArrayLike] | None,
    settings: DependencySettings,
) -> dict[str, list[tuple[str, float]]]:
    """Outputs that serve each input: the same name, and names of a like meaning."""
    made = set(outputs)
    serving: dict[str, list[tuple[str, float]]] = {
        name: [(name, 1.0)] for name in inputs if name in made
    }
    names = sorted({*inputs, *outputs} & vectors.keys()) if vectors else []
    if vectors is None or len(names) < 2:
        return serving
    matrix = np.array([vectors[name] for name in names], dtype=np.float32)
    source, target, cosine = nearest(matrix, settings.similar, settings.threshold)
    wanted = set(inputs)
    for one, other, likeness in zip(
        source.tolist(), target.tolist(), cosine.tolist(), strict=True
    ):
        if names[one] in wanted and names[other] in made:
            pair = (names[other], round(likeness, DECIMALS))
            serving.setdefault(names[one], []).append(pair)
    return serving
