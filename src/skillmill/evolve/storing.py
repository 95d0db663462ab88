"""Evolution's state as rows of a store, and back."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from skillmill.evolve.proposals import Choice, Refusal, StepRecord
from skillmill.evolve.state import State
from skillmill.evolve.table import RewardTable
from skillmill.evolve.trie import Event, Explored, Identity, Tally, Trie
from skillmill.skills.primitive import Primitive
from skillmill.skills.skill import parse_skill, render_skill
from skillmill.store.evolution import (
    ChoiceRow,
    CurveRow,
    EventRow,
    EvolutionRows,
    ExploredRow,
    MemberRow,
    QueryRow,
    RefusalRow,
    RewardRow,
    RouterRow,
    TallyRow,
)
from skillmill.types import RetrievalSkill

#: Part of the rewards that is the validation table.
VALIDATION = -1
ROUTER = "router"


def rows_of(state: State, texts: Mapping[str, str] | None = None) -> EvolutionRows:
    """All rows of a state.

    Parameters
    ----------
    texts : mapping, optional
        Content hash -> markdown, of skills whose text is not what they render to:
        seeds, with words for people.
    """
    texts = texts or {}
    number = {one.skill.content_hash: n for n, one in enumerate(state.trie.explored)}
    tables = _tables(state)
    names = sorted({query for table in tables.values() for query in table.queries})
    place = {query: n for n, query in enumerate(names)}
    return EvolutionRows(
        explored=tuple(
            _explored_row(n, one, texts.get(one.skill.content_hash))
            for n, one in enumerate(state.trie.explored)
        ),
        events=tuple(
            EventRow(n, turn, event.step, event.fate, event.reason)
            for n, one in enumerate(state.trie.explored)
            for turn, event in enumerate(one.history)
        ),
        tallies=tuple(
            TallyRow(n, split, tally.n, tally.total)
            for n, one in enumerate(state.trie.explored)
            for split, tally in sorted(one.rollouts.items())
        ),
        members=tuple(
            MemberRow(frontier, n, number[name])
            for frontier in ("capability", "deploy")
            for n, name in enumerate(getattr(state, frontier))
        ),
        queries=tuple(QueryRow(n, name) for n, name in enumerate(names)),
        rewards=_reward_rows(tables, number, place),
        router=(RouterRow(ROUTER, state.router),) if state.router else (),
        choices=tuple(
            ChoiceRow(place[one.query], number[one.skill], one.probability)
            for one in state.choices
        ),
        refusals=tuple(
            RefusalRow(n, one.name, json.dumps(one.path), one.reason)
            for n, one in enumerate(state.refusals)
        ),
        curve=tuple(
            CurveRow(*(getattr(row, name) for name in CurveRow._fields))
            for row in state.history
        ),
    )


def _reward_rows(
    tables: Mapping[int, RewardTable],
    number: Mapping[str, int],
    place: Mapping[str, int],
) -> tuple[RewardRow, ...]:
    return tuple(
        RewardRow(part, number[skill], place[query], value)
        for part, table in tables.items()
        for skill, values in zip(table.skills, table.rewards.tolist(), strict=True)
        for query, value in zip(table.queries, values, strict=True)
    )


def state_of(
    rows: EvolutionRows, identity: Identity, primitives: Mapping[str, Primitive]
) -> State:
    """The state that `rows_of` was given.

    Raises
    ------
    InputError
        If a stored skill is none any more: a primitive of its own was removed.
    """
    explored = _explored(rows, primitives)
    names = [one.skill.content_hash for one in explored]
    queries = [row.query for row in rows.queries]
    tables = _read_tables(rows, names, queries)
    history = tuple(_step(row) for row in rows.curve)
    members: dict[str, list[str]] = {"capability": [], "deploy": []}
    for row in rows.members:
        members[row.frontier].append(names[row.skill])
    return State(
        step=history[-1].step + 1,
        trie=Trie(tuple(explored), identity),
        capability=tuple(members["capability"]),
        deploy=tuple(members["deploy"]),
        validation=tables.get(VALIDATION, RewardTable.empty(())),
        window=tuple(tables[part] for part in sorted(tables) if part != VALIDATION),
        router=rows.router[0].data if rows.router else None,
        history=history,
        choices=tuple(
            Choice(queries[row.query], names[row.skill], row.probability)
            for row in rows.choices
        ),
        refusals=tuple(
            Refusal(row.name, tuple(json.loads(row.path)), row.reason)
            for row in rows.refusals
        ),
    )


def _tables(state: State) -> dict[int, RewardTable]:
    """Reward tables by part: the batches by step, the last one last."""
    first = state.step - len(state.window)
    batches = {first + n: table for n, table in enumerate(state.window)}
    return {VALIDATION: state.validation, **batches}


def _explored_row(position: int, one: Explored, text: str | None) -> ExploredRow:
    return ExploredRow(
        position,
        one.skill.content_hash,
        one.skill.name,
        json.dumps(one.path),
        text or render_skill(one.skill),
        one.source,
        one.step,
        one.status,
    )


def _explored(
    rows: EvolutionRows, primitives: Mapping[str, Primitive]
) -> list[Explored]:
    """Explored skills with their rollouts and histories."""
    rollouts: dict[int, dict[str, Tally]] = {}
    for tally in rows.tallies:
        rollouts.setdefault(tally.skill, {})[tally.split] = Tally(tally.n, tally.total)
    histories: dict[int, list[Event]] = {}
    for event in rows.events:
        told = Event(event.step, event.fate, event.reason)  # type: ignore[arg-type]
        histories.setdefault(event.skill, []).append(told)
    return [
        Explored(
            skill=_skill(row, primitives),
            source=row.source,
            step=row.step,
            status=row.status,  # type: ignore[arg-type]  # the table checks it
            rollouts=rollouts.get(row.position, {}),
            history=tuple(histories.get(row.position, ())),
        )
        for row in rows.explored
    ]


def _skill(row: ExploredRow, primitives: Mapping[str, Primitive]) -> RetrievalSkill:
    return parse_skill(row.markdown, f"explored skill {row.name}", primitives)


def _read_tables(
    rows: EvolutionRows, names: Sequence[str], queries: Sequence[str]
) -> dict[int, RewardTable]:
    """Reward tables by part; skills and questions in the order of their numbers."""
    values: dict[int, dict[tuple[int, int], float]] = {}
    for row in rows.rewards:
        values.setdefault(row.part, {})[row.skill, row.query] = row.value
    tables = {}
    for part, cells in values.items():
        skills = sorted({skill for skill, _ in cells})
        columns = sorted({query for _, query in cells})
        rewards = np.array([[cells[s, q] for q in columns] for s in skills])
        tables[part] = RewardTable(
            tuple(names[s] for s in skills), tuple(queries[q] for q in columns), rewards
        )
    return tables


def _step(row: CurveRow) -> StepRecord:
    values = row._asdict()
    values["deploy_tried"] = bool(row.deploy_tried)
    values["deploy_accepted"] = bool(row.deploy_accepted)
    return StepRecord(**values)
