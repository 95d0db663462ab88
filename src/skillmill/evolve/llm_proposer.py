"""New retrieval skills from a language model, in three stages (ERSkill, appendix B.2).

Analysts explain single rollouts, a designer draws proposals from all of that and the
figures, a generator writes the program of each. Whatever a reply says is checked: it
may be refused at each stage, and is then told with its reason.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from skillmill.errors import InputError
from skillmill.evolve.briefing import designer_briefing, names
from skillmill.evolve.cases import Case, Source, select_cases
from skillmill.evolve.proposals import (
    Proposal,
    ProposalContext,
    ProposalRound,
    Refusal,
)
from skillmill.evolve.trie import LLM, Trie
from skillmill.models.chat import ChatRequest, Outcome
from skillmill.models.prompts import prompt_version, render, reply_model
from skillmill.models.replies_base import check_entries
from skillmill.models.replies_evolution import Proposal as Designed
from skillmill.skills.primitive import Primitive
from skillmill.skills.skill import parse_skill, render_skill
from skillmill.types import Node, RetrievalSkill

#: Stage of all that is asked, in the cost log.
STAGE = "evolution"
#: Roles that are asked; without a model for each there is no such proposer.
ROLES = ("failure_analyst", "success_analyst", "designer", "generator")
#: How a refusal that concerns no single skill is called.
ALL = "(all)"

_log = logging.getLogger(__name__)


class Client(Protocol):
    """Whoever asks language models; `models.llm.ChatClient` is one."""

    def ask_many(self, requests: Sequence[ChatRequest]) -> list[Outcome[Any]]:
        """Ask questions; outcomes come in their order."""
        ...


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """How many rollouts of a batch are analysed, and what counts as a success."""

    failed: int = 4
    succeeded: int = 4
    solved: float = 1.0


@dataclass(frozen=True, eq=False)
class LlmProposer:
    """Proposes skills by asking a language model; nothing is drawn at random.

    Attributes
    ----------
    client : Client
        With a model for each of `ROLES`.
    source : Source
        Tells of each rollout.
    settings : LlmSettings
    """

    client: Client
    source: Source
    settings: LlmSettings = LlmSettings()

    def propose(
        self, context: ProposalContext, rng: np.random.Generator
    ) -> ProposalRound:
        """Analyse, design, generate.

        Without a hard question on the batch nothing is asked: that is the only trigger
        there is (`oracle_hard`).
        """
        chosen = self.settings
        cases = select_cases(
            context.train,
            context.choices,
            chosen.failed,
            chosen.succeeded,
            chosen.solved,
        )
        if all(case.solved for case in cases):
            return _nothing("no question of the batch is hard for all skills")
        failed, succeeded = self._analyses(context, cases)
        if not failed:
            return _nothing("no failed rollout could be analysed")
        designed, refusals = self._designed(context, failed, succeeded)
        made, faults = self._generated(context, designed)
        return ProposalRound(tuple(made), (*refusals, *faults))

    def _analyses(
        self, context: ProposalContext, cases: Sequence[Case]
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """What the analysts say of failed and of successful rollouts."""
        by_hash = {skill.content_hash: skill for skill in context.frontier}
        called = names(context)
        requests = []
        for case in cases:
            column = context.train.queries.index(case.query)
            rewards = {
                called[skill]: round(float(context.train.rewards[row, column]), 6)
                for row, skill in enumerate(context.train.skills)
            }
            told = self.source.payload(case, by_hash[case.skill], rewards)
            role = "success_analyst" if case.solved else "failure_analyst"
            record = f"step {context.step}, {case.query}"
            requests.append(_request(role, record, case=told))
        failed: list[dict[str, Any]] = []
        succeeded: list[dict[str, Any]] = []
        outcomes = self.client.ask_many(requests)
        for case, outcome in zip(cases, outcomes, strict=True):
            if outcome.state != "ok" or outcome.value is None:
                _log.warning("%s: %s", outcome.record, outcome.message)
                continue
            skill = by_hash[case.skill]
            said = _own_words(outcome.value.model_dump(), case, skill)
            (succeeded if case.solved else failed).append(said)
        return failed, succeeded

    def _designed(
        self,
        context: ProposalContext,
        failed: Sequence[Mapping[str, Any]],
        succeeded: Sequence[Mapping[str, Any]],
    ) -> tuple[list[Designed], list[Refusal]]:
        """The designer's proposals that may be generated, and the others."""
        request = _request(
            "designer",
            f"step {context.step}",
            failed_trace_analyses=list(failed),
            success_trace_analyses=list(succeeded),
            **designer_briefing(context),
        )
        outcome = self.client.ask_many([request])[0]
        if outcome.state != "ok" or outcome.value is None:
            return [], [Refusal(ALL, (), f"the designer failed: {outcome.message}")]
        entries = [
            entry
            for entry in outcome.value.proposals
            if entry.action == "new_path_candidate"
        ]
        checked = check_entries(
            entries,
            Designed,
            [skill.name for skill in context.frontier],
            allow=lambda entry: _name_taken(entry, context.trie),
        )
        refusals = [
            Refusal(str(one.entry.new_skill_name), (), _told(one, context))
            for one in checked.rejected
            if isinstance(one.entry, Designed)
        ]
        late = checked.valid[context.limit :]
        refusals += [
            Refusal(str(entry.new_skill_name), (), f"beyond the limit {context.limit}")
            for entry in late
        ]
        return list(checked.valid[: context.limit]), refusals

    def _generated(
        self, context: ProposalContext, designed: Sequence[Designed]
    ) -> tuple[list[Proposal], list[Refusal]]:
        """The skills that the generator writes, and those that cannot be used."""
        parents = {skill.name: skill for skill in context.frontier}
        told = designer_briefing(context)
        requests = [
            _request(
                "generator",
                f"step {context.step}, {entry.new_skill_name}",
                proposal=entry.model_dump(exclude_none=True),
                primitive_catalog=told["primitive_catalog"],
                skill_catalog=told["skill_catalog"],
                current_markdown=render_skill(parents[str(entry.source_skill_name)]),
            )
            for entry in designed
        ]
        made: list[Proposal] = []
        refusals = []
        trie = context.trie
        outcomes = self.client.ask_many(requests) if requests else []
        for entry, outcome in zip(designed, outcomes, strict=True):
            name = str(entry.new_skill_name)
            skill, reason = _skill_of(entry, outcome, context.primitives)
            reason = reason or (refusal(skill, trie) if skill else None)
            if skill is None or reason:
                path = skill.path if skill else ()
                refusals.append(Refusal(name, path, str(reason)))
                continue
            parent = parents[str(entry.source_skill_name)].content_hash
            made.append(Proposal(skill, parent, entry.problem_pattern))
            # Two proposals of one round must differ, too.
            trie = trie.added(skill, source=parent, step=context.step)
        return made, refusals


def refusal(skill: RetrievalSkill, trie: Trie) -> str | None:
    """Why a generated skill is no candidate; None if it is one.

    It repeats what was explored, or all it adds to something explored is llm_process.
    """
    repeated = trie.refusal(skill)
    if repeated:
        return repeated
    bare = _without_llm(skill.path)
    for one in trie.explored:
        longer = len(skill.path) > len(one.path)
        if longer and bare == _without_llm(one.path):
            return f"only adds {LLM} to {one.skill.name}, {' > '.join(one.path)}"
    return None


def _without_llm(path: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in path if name != LLM)


def _nothing(reason: str) -> ProposalRound:
    """A round without proposals, and why."""
    _log.info("nothing is proposed: %s", reason)
    return ProposalRound((), (Refusal(ALL, (), reason),))


def _request(role: str, record: str, **values: object) -> ChatRequest:
    """What a role is asked."""
    return ChatRequest(
        role=role,
        messages=render(role, **values),
        reply_model=reply_model(role),
        schema_name=role,
        stage=STAGE,
        record=record,
        version=prompt_version(role),
    )


def _own_words(
    said: dict[str, Any], case: Case, skill: RetrievalSkill
) -> dict[str, Any]:
    """An analysis about the case that was asked and about steps that there are."""
    nodes = {node.id for node in skill.program}
    kept = {
        key: [item for item in said[key] if item["node_id"] in nodes]
        for key in ("key_nodes", "node_findings")
    }
    own = {"case_index": case.index, "case_chosen_skill": skill.name}
    return {**said, **own, **kept}


def _name_taken(entry: Designed, trie: Trie) -> str | None:
    """Refuse a name before a program is written for it."""
    taken = any(one.skill.name == entry.new_skill_name for one in trie.explored)
    return f"the name {entry.new_skill_name} is taken" if taken else None


def _told(rejected: Any, context: ProposalContext) -> str:  # noqa: ANN401 of any kind
    """The reason of a refusal; a retired source is told as such."""
    source = rejected.entry.source_skill_name
    if source in {skill.name for skill in context.retired}:
        return f"source {source} is retired; only the capability frontier may be edited"
    if source not in {skill.name for skill in context.frontier}:
        return f"source {source} is not on the capability frontier"
    return str(rejected.reason)


def _skill_of(
    entry: Designed, outcome: Outcome[Any], primitives: Mapping[str, Primitive]
) -> tuple[RetrievalSkill | None, str | None]:
    """The skill of a generator's reply, or why there is none."""
    reply = outcome.value
    if outcome.state != "ok" or reply is None:
        return None, f"the generator failed: {outcome.message}"
    for field in ("new_skill_name", "source_skill_name"):
        if getattr(reply, field) != getattr(entry, field):
            said = f"{field} {getattr(reply, field)}"
            return None, f"the generator wrote {said}, not {getattr(entry, field)}"
    nodes = tuple(Node(**node.model_dump()) for node in reply.program_json.nodes)
    written = RetrievalSkill(
        name=reply.new_skill_name,
        description=" ".join(reply.description.split()),
        preference=" ".join(reply.information_preference.split()),
        program=nodes,
        content_hash="",
    )
    try:
        # Read as a file would be, so that all of it is checked.
        return parse_skill(render_skill(written), written.name, primitives), None
    except InputError as error:
        return None, "; ".join(line.strip() for line in str(error).split("\n")[1:])
