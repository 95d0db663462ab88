"""What evolution tried and what became of it, as the page tells it."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TriedProgram:
    """One program: where its path leads, when it came, and what became of it.

    `step` is -1 for a seed; `value` the mean reward over `n` questions of validation,
    fewer where racing stopped early, None if it never got there; `history` one
    sentence for each thing that happened to it.
    """

    name: str
    path: tuple[str, ...]
    step: int
    status: str
    value: float | None
    n: int = 0
    history: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepCurve:
    """After one step: mean rewards on validation, sizes, and rollouts so far."""

    step: int
    capability_oracle: float
    deploy_oracle: float
    routed: float
    best_single: float
    capability_size: int
    deploy_size: int
    rollouts: int


@dataclass(frozen=True, slots=True)
class Evolved:
    """One run of evolution.

    `batch` is the size of its largest batch, `rules` its settings but for that, as
    text.
    """

    name: str
    programs: Sequence[TriedProgram] = ()
    curve: Sequence[StepCurve] = ()
    batch: int = 0
    rules: str = ""

    def like(self, other: "Evolved") -> bool:
        """Whether two runs differ by their batches alone."""
        return bool(self.rules) and self.rules == other.rules


@dataclass
class TrieNode:
    """A primitive behind its prefix; `below` counts the programs from here on."""

    primitive: str
    programs: list[TriedProgram] = field(default_factory=list)
    children: "dict[str, TrieNode]" = field(default_factory=dict)

    @property
    def below(self) -> int:
        """Programs that end here or farther on."""
        return len(self.programs) + sum(c.below for c in self.children.values())

    @property
    def first_step(self) -> int:
        """Step in which the first of them came."""
        steps = [program.step for program in self.programs]
        return min(steps + [child.first_step for child in self.children.values()])


def trie(programs: Sequence[TriedProgram]) -> TrieNode:
    """Return the root of the trie of all paths; children go by primitive."""
    root = TrieNode("")
    for program in sorted(programs, key=lambda p: (p.path, p.step, p.name)):
        node = root
        for primitive in program.path:
            node = node.children.setdefault(primitive, TrieNode(primitive))
        node.programs.append(program)
    return root
