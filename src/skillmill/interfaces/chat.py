"""How a job asks language models: from the configuration to a client, and its costs.

What shapes replies comes to a job in its params (`asks`), so that a change of it runs
the job again. How a model is reached, and what may be spent, does not: it is read from
the configuration.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from skillmill.errors import StoreError
from skillmill.interfaces.progress import Progress
from skillmill.models.chat import RoleSettings
from skillmill.models.llm import ChatClient
from skillmill.models.usage import Budget, Ledger, Spent, describe
from skillmill.store.costs import CostRow, log_costs, read_costs
from skillmill.store.replies import ReplyRecords

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)


class AskingJob(Protocol):
    """What of a running job asking needs; `interfaces.job.Job` is one."""

    @property
    def run(self) -> str:
        """Id of the run."""
        ...

    @property
    def rule(self) -> str:
        """Name of the rule."""
        ...

    @property
    def study(self) -> str:
        """Name of the study."""
        ...

    @property
    def part(self) -> str:
        """Shard or wildcard; '' if none."""
        ...

    @property
    def records(self) -> Path:
        """Folder of the record stores."""
        ...

    @property
    def models(self) -> Mapping[str, Any]:
        """The section `models` of the configuration."""
        ...


@dataclass(frozen=True)
class Command:
    """A command that asks language models as a job would; it belongs to no run."""

    rule: str
    study: str
    records: Path
    models: Mapping[str, Any]
    part: str = ""
    run: str = ""


def role_settings(models: Mapping[str, Any], role: str) -> RoleSettings:
    """Settings of a role: the default, under what the role itself sets."""
    own = models["roles"].get(role) or {}
    return RoleSettings(**{**models["default"], **own})


@contextmanager
def asking(
    this: AskingJob,
    roles: Sequence[str],
    http_client: "httpx2.AsyncClient | None" = None,
) -> Iterator[ChatClient]:
    """A client for the roles that a job asks; without any it is off.

    What was spent is logged at the end, also when the job fails.

    Raises
    ------
    SkillmillError
        As the client's.
    """
    settings = {role: role_settings(this.models, role) for role in roles}
    with (
        ReplyRecords(this.records) as replies,
        ChatClient(
            settings,
            replies,
            rng=np.random.default_rng(0),
            mode=_mode(this.models, roles),
            budget=_budget(this) if roles else Budget(),
            http_client=http_client,
            begin=lambda stage, total: Progress(stage, total).step,
        ) as client,
    ):
        try:
            yield client
        finally:
            if roles:
                _log.info("spent: %s", describe(client.ledger.total()))
                for note in client.notes:
                    _log.info("endpoint: %s", note)
                _log_costs(this, client.ledger, settings)


def _mode(
    models: Mapping[str, Any], roles: Sequence[str]
) -> Literal["live", "replay", "off"]:
    if not roles:
        return "off"
    return "replay" if models["mode"] == "replay" else "live"


def _budget(this: AskingJob) -> Budget:
    """What is left of the run's budget; jobs at the same time do not see each other."""
    limits = this.models["budget"]
    before = Spent("all", "all")
    if this.run:
        rows = read_costs(this.records, this.run)
        before = Spent(
            "all",
            "all",
            calls=sum(row.calls for row in rows),
            prompt_tokens=sum(row.prompt_tokens for row in rows),
            completion_tokens=sum(row.completion_tokens for row in rows),
            money=sum(row.usd or 0.0 for row in rows),
        )
    return Budget(limits["calls"], limits["tokens"], limits["usd"], before)


def _log_costs(
    this: AskingJob, ledger: Ledger, settings: Mapping[str, RoleSettings]
) -> None:
    """Add to the cost log; a log that cannot be written is a warning."""
    rows = [
        CostRow(
            run=this.run,
            rule=this.rule,
            study=this.study,
            part=this.part,
            role=spent.role,
            stage=spent.stage,
            model=settings[spent.role].model,
            questions=spent.questions,
            recorded=spent.recorded,
            failed=spent.failed,
            calls=spent.calls,
            replies=spent.replies,
            estimated=spent.estimated,
            prompt_tokens=spent.prompt_tokens,
            completion_tokens=spent.completion_tokens,
            usd=spent.money if spent.replies else 0.0,
        )
        for spent in ledger.rows()
    ]
    if not rows:
        return
    try:
        log_costs(this.records, rows)
    except StoreError as error:
        _log.warning("%s", error)
