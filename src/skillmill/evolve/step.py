"""One step of co-evolution, state to state (ERSkill, Algorithm 1, lines 5 to 30)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from skillmill.evolve.deploying import Deployment, route, routed_mean, updated
from skillmill.evolve.exploring import Explored, explored
from skillmill.evolve.prior_router import Router
from skillmill.evolve.proposals import StepRecord
from skillmill.evolve.state import Ground, Rules, State
from skillmill.evolve.table import RewardTable
from skillmill.evolve.targets import cost_aware
from skillmill.evolve.trie import Event, Fate, Trie
from skillmill.types import RetrievalSkill


def started(seeds: Sequence[RetrievalSkill], ground: Ground, rules: Rules) -> State:
    """The state before the first step: both frontiers are the seeds.

    Raises
    ------
    ValueError
        If there is no seed, or two are one program.
    """
    if not seeds:
        raise ValueError("evolution needs at least one seed skill")
    trie = Trie((), rules.identity)
    for seed in seeds:
        trie = trie.added(seed, source=None, step=-1)
    names = tuple(seed.content_hash for seed in seeds)
    rows = {s.content_hash: ground.arena.rewards(s, ground.validation) for s in seeds}
    table = RewardTable.of_rows(rows, ground.validation)
    trie = trie.tallied("val", rows).standing(names, names)
    best = table.utilities()[table.best_single()]
    seeded = StepRecord(
        step=-1,
        batch=0,
        proposed=len(seeds),
        refused=0,
        retained=len(seeds),
        entered=len(seeds),
        deploy_tried=False,
        deploy_accepted=False,
        gain=None,
        train_oracle=0.0,
        capability_oracle=table.oracle_mean(),
        deploy_oracle=table.oracle_mean(),
        routed=best,
        best_single=best,
        capability_size=len(seeds),
        deploy_size=len(seeds),
        rollouts=len(seeds) * len(ground.validation),
        reason="seeds; routed is the best of them, since there is no router yet",
    )
    return State(0, trie, names, names, table, history=(seeded,))


def advanced(
    state: State,
    batch: Sequence[str],
    ground: Ground,
    rules: Rules,
    rng: np.random.Generator,
) -> State:
    """The state after one more step on a batch of training questions.

    Equal states, batches and generators give equal states. The order of the batch
    plays no part.
    """
    batch = sorted(set(batch))
    sources = state.skills(state.capability)
    ground.arena.look_up(sources, batch)
    seen = {s.content_hash: ground.arena.rewards(s, batch) for s in sources}
    train = RewardTable.of_rows(seen, batch)
    before = replace(state, trie=state.trie.tallied("train", seen))
    found = explored(before, train, ground, rules, rng)
    rows = found.batch
    if rules.supervision == "retained":
        rows = rows.only([*train.skills, *found.retained])
    rows = rows.ordered(found.state.trie.names)
    window = (*state.window, rows)[-rules.window :]
    router = _trained(found.state, window, ground, rules.step_price, rng)
    after = replace(found.state, window=window, router=router.dump())
    deployment = Deployment(state.deploy)
    if rules.frontiers == "none":
        everyone = after.capability
        deployment = Deployment(everyone, everyone, True, None, "all are deployed")
    elif after.capability != state.capability:
        deployment = updated(ground, after, router, found.entered, rules)
    return _finished(state, after, router, deployment, found, train, ground)


def _trained(
    state: State,
    window: Sequence[RewardTable],
    ground: Ground,
    step_price: float,
    rng: np.random.Generator,
) -> Router:
    """The router after this step's training, from where the last one stood.

    Each question of each step is a column; a skill that was not rolled out on it has
    NaN there. Of each reward goes the price of the steps that were run for it.
    """
    names = list(dict.fromkeys(name for table in window for name in table.skills))
    queries = [query for table in window for query in table.queries]
    rewards = np.full((len(names), len(queries)), np.nan)
    start = 0
    for table in window:
        rows = [names.index(name) for name in table.skills]
        rewards[rows, start : start + len(table.queries)] = table.rewards
        start += len(table.queries)
    vectors = [ground.question_vectors[query] for query in queries]
    skills = state.skills(names)
    steps = np.array([[len(skill.program)] for skill in skills], dtype=float)
    return ground.routing.train(
        np.array(vectors, dtype=np.float32),
        ground.skill_vectors(skills),
        cost_aware(rewards, steps, step_price) if step_price else rewards,
        ground.router_settings,
        rng,
        start=ground.loaded(state),
    )


def _finished(
    state: State,
    after: State,
    router: Router,
    deployment: Deployment,
    found: Explored,
    train: RewardTable,
    ground: Ground,
) -> State:
    """The state with its frontiers, fates and one more row of the curves."""
    trie = _fates(after.trie, state, after.capability, deployment)
    trie = trie.standing(after.capability, deployment.deploy)
    after = replace(after, step=state.step + 1, trie=trie, deploy=deployment.deploy)
    able = after.validation.only(after.capability)
    used = after.validation.only(after.deploy)
    choices = route(ground, after, router, after.deploy, after.validation.queries)
    row = StepRecord(
        step=state.step,
        batch=len(train.queries),
        proposed=len(found.proposed),
        refused=len(after.refusals),
        retained=len(found.retained),
        entered=len(found.entered),
        deploy_tried=bool(deployment.tried),
        deploy_accepted=deployment.accepted,
        gain=deployment.gain,
        train_oracle=train.oracle_mean(),
        capability_oracle=able.oracle_mean(),
        deploy_oracle=used.oracle_mean(),
        routed=routed_mean(choices, after.validation),
        best_single=used.utilities()[used.best_single()],
        capability_size=len(after.capability),
        deploy_size=len(after.deploy),
        rollouts=train.rewards.size + found.rollouts,
        reason=deployment.reason,
    )
    picked = route(ground, after, router, after.deploy, train.queries)
    return replace(after, history=(*state.history, row), choices=tuple(picked))


def _fates(
    trie: Trie, state: State, capability: Sequence[str], deployment: Deployment
) -> Trie:
    """The trie with who left a frontier and who was deployed, or was not."""
    for name in state.capability:
        if name not in capability:
            trie = trie.happened(name, Event(state.step, "displaced"))
    for name in deployment.tried:
        if name not in state.deploy:
            fate: Fate = "deployed" if deployment.accepted else "deploy-rejected"
            trie = trie.happened(name, Event(state.step, fate, deployment.reason))
    for name in state.deploy:
        if name not in deployment.deploy:
            trie = trie.happened(name, Event(state.step, "undeployed"))
    return trie
