"""What agents do with the skills: the protocol of SkillTrace's two benchmarks."""

from typing import Annotated, Any, Literal

from pydantic import Field

from skillmill.settings.section import Section


class Gos(Section):
    """Graph-of-Skills as SkillTrace ran it on a benchmark."""

    seeds: Annotated[int, Field(ge=1)]
    """Skills that its walk starts at."""
    budget: Annotated[int, Field(ge=1)]
    """The most skills that it returns."""


class Protocol(Section):
    """How a benchmark is run."""

    budget: Annotated[int, Field(ge=1)] | None = None
    """The most skills of a SkillTrace bundle; null: `library.trace.budget`."""
    gos: Gos
    strata: dict[str, Annotated[int, Field(ge=0)]] | None = None
    """Stratum -> tasks of the whole split; other tasks are refused. null: any."""


class SkillsBench(Protocol):
    """SkillsBench through harbor."""

    gos: Gos = Gos(seeds=4, budget=5)
    names: dict[str, str] = {}
    """Difficulty as a task writes it -> stratum; others keep their own."""


class ALFWorld(Protocol):
    """ALFWorld through TextWorld."""

    budget: Annotated[int, Field(ge=1)] | None = 6
    """The most skills of a bundle (SkillTrace: 6)."""
    gos: Gos = Gos(seeds=5, budget=4)
    steps: Annotated[int, Field(ge=1)] = 30
    """Steps after which an episode has failed."""
    seed: Annotated[int, Field(ge=0)] = 42
    """Seed of the environment."""
    randomise: bool = False
    """Domain randomisation: things of a kind are numbered at random, by the seed."""


class Downstream(Section):
    """Success of agents: what is run, and what counts (docs/downstream.md)."""

    benchmark: Literal["skillsbench", "alfworld"] | None = None
    """Whose budgets and seeds the study's arms take, too; null: as the study says."""
    attempts: Annotated[int, Field(ge=1, le=1)] = 1
    """Attempts of a task that count; figures are of single ones, so one."""
    retries: Annotated[int, Field(ge=0, le=9)] = 1
    """The most further attempts after errors of the infrastructure."""
    invalid: Literal["error", "failure"] = "error"
    """An invalid trial is an error, counted apart, or a failure; never a success."""
    skillsbench: SkillsBench = SkillsBench()
    alfworld: ALFWorld = ALFWorld()

    def split(self) -> dict[str, Any] | None:
        """What a study's tasks have to be: strata, names of difficulties, the key."""
        protocol = self.protocol()
        if protocol is None or protocol.strata is None:
            return None
        names = protocol.names if isinstance(protocol, SkillsBench) else {}
        key = f"downstream.{self.benchmark}.strata"
        return {"strata": protocol.strata, "names": names, "key": key}

    def protocol(self) -> Protocol | None:
        """The protocol of the study's benchmark."""
        named: dict[str, Protocol] = {
            "skillsbench": self.skillsbench,
            "alfworld": self.alfworld,
        }
        return named[self.benchmark] if self.benchmark else None
