"""What a primitive is: a state transition of a query over a memory (ERSkill, 2.2)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from skillmill.memory.view import MemoryView
from skillmill.skills.arguments import Argument
from skillmill.skills.state import EvidenceState, QueryContext, States, Step, Steps

Kind = Literal["search", "expand", "process"]
Arguments = Mapping[str, Any]
Run = Callable[[QueryContext, EvidenceState, MemoryView, Arguments], Step]
RunMany = Callable[[Sequence[QueryContext], States, MemoryView, Arguments], Steps]
Ahead = Callable[
    [Sequence[tuple[QueryContext, EvidenceState]], MemoryView, Arguments], None
]
Conflict = Callable[[Arguments], str | None]
Reads = Callable[[Arguments], set[str]]


@dataclass(frozen=True, eq=False)
class Primitive:
    """One primitive: how it is called and what it may be told.

    Attributes
    ----------
    name, kind : str
        `search` enters the memory, `expand` grows the evidence, `process` changes
        the state's variables.
    run : callable
        Query, state, view and all arguments (defaults filled in) -> `Step`. Raises
        a `SkillmillError` for what the user can mend.
    arguments : mapping of str to Argument
        Every argument it knows.
    needs, writes : tuple of str
        State variables it reads, unless an argument of that name is given, and
        those that it may set.
    needless : mapping
        Arguments with which it needs nothing.
    conflict : callable or None
        Tells what is wrong with arguments that are each right, None if nothing is.
    many : callable or None
        The same for many queries at once, with the very scores of `run`; without it
        they are run one by one. A `SkillmillError` fails no query by itself: they
        are then run one by one.
    evidence : bool
        Whether the scores depend on the evidence. Those of a primitive that looks
        only at query, view and arguments are computed once for many programs.
    reads : callable or None
        Tells which parts of a memory it searches with these arguments, of
        `memory.forms.PARTS`; None: none that a memory may lack.
    ahead : callable or None
        Told of all queries before they are run one by one, so that what is slow, such
        as a model, can be asked for all at once. Its errors end the batch.
    """

    name: str
    kind: Kind
    run: Run
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    needless: Mapping[str, object] = field(default_factory=dict)
    conflict: Conflict | None = None
    many: RunMany | None = None
    evidence: bool = True
    reads: Reads | None = None
    ahead: Ahead | None = None

    def lacks(self, args: Arguments, variables: Mapping[str, object]) -> list[str]:
        """Variables it needs that neither an argument nor an earlier step gives."""
        if any(args.get(key) == value for key, value in self.needless.items()):
            return []
        given = {**variables, **{k: v for k, v in args.items() if v is not None}}
        return [name for name in self.needs if name not in given]

    def complete(self, given: Arguments) -> dict[str, Any]:
        """Fill in the defaults of the arguments that are not given."""
        defaults = {name: known.default for name, known in self.arguments.items()}
        return {**defaults, **given}


def one_of_many(many: RunMany) -> Run:
    """Make the form for one query of a function for many."""

    def run(
        query: QueryContext, state: EvidenceState, view: MemoryView, args: Arguments
    ) -> Step:
        states = States(state.scores[None], state.held[None], state.variables)
        return many([query], states, view, args).one(0)

    return run
