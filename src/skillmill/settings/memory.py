"""The memory track."""

from typing import Annotated, Any, Literal

from pydantic import Field

from skillmill.settings.section import Cutoffs, Section


class Sizes(Section):
    """Questions of each split; adversarial ones do not count."""

    train: Annotated[int, Field(ge=0)] = 0
    """For learning."""
    val: Annotated[int, Field(ge=0)] = 0
    """For choices."""
    test: Annotated[int, Field(ge=0)] = 0
    """To be measured."""

    @property
    def given(self) -> bool:
        """Whether there are any."""
        return any(self.model_dump().values())


class Splits(Section):
    """Conversations by use. A split by question leaks: LoCoMo repeats questions."""

    train: list[str] = []
    """Conversations that skills and routers learn from."""
    val: list[str] = []
    """Conversations that choices are made on."""
    test: list[str] = []
    """Conversations that are only measured."""
    questions: Sizes = Sizes()
    """How many questions each has: named conversations are checked; where none is
    named, conversations are drawn, and the surplus of the last is left out. All 0:
    neither."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Of the draw."""

    @property
    def named(self) -> dict[str, list[str]]:
        """Conversations by split."""
        return {"train": self.train, "val": self.val, "test": self.test}

    @property
    def drawn(self) -> bool:
        """Whether conversations are drawn, which takes the data to know them."""
        return self.questions.given and not any(self.named.values())

    def declared(self, *splits: str) -> dict[str, Any]:
        """What a job is told of some splits, all without any named.

        `evaluate.splitting` makes conversations of it.
        """
        wanted = splits or tuple(self.named)
        told: dict[str, Any] = {name: self.named[name] for name in wanted}
        if self.questions.given:
            told |= {"questions": self.questions.model_dump(), "seed": self.seed}
        return told


class Answering(Section):
    """Answers from what retrieval skills find."""

    skills: list[str] = ["fixed-best-late", "fixed-best"]
    """The first of these that the study runs finds the evidence."""
    atoms: Annotated[int, Field(ge=1)] = 10
    """How many of its best atoms are read."""


class Memory(Section):
    """Memory track: conversations, atoms, graphs, retrieval skills."""

    path: str | None = None
    """File or folder of conversations; null turns the memory track off."""
    format: Literal["locomo", "longmemeval", "perltqa", "chatlog"] = "chatlog"
    """How the conversations are written."""
    granularity: Literal["turn_pair", "turn", "session", "record"] = "turn_pair"
    """What one atom covers (ERSkill: turn pairs; records for PerLTQA)."""
    shards: Annotated[int, Field(ge=1, le=10_000)] = 1
    """Jobs per memory stage; a hash of its id deals a conversation to a shard."""
    skills: list[str] = ["src/skillmill/skills/seeds"]
    """Retrieval skills to run: markdown files or folders of them."""
    transfer: str | None = None
    """A state of another study's evolution: what it deployed is run here, untrained."""
    vectors: bool = True
    """Whether atoms are embedded; without, keywords, dates and nouns are searched."""
    entities: list[Literal["noun", "ner"]] = ["noun", "ner"]
    """What is tagged: nouns (tuned entity search), named entities (the paper's)."""
    neighbours: Annotated[int, Field(ge=1)] = 5
    """Nearest atoms each atom is joined to, positive cosines only (ERSkill, eq. 7)."""
    both_ways: bool = False
    """Whether a typed relation may lead back in time, for sources without an order."""
    budget: Annotated[int, Field(ge=1)] = 20
    """Atoms that every retrieval skill may return for a question."""
    cutoffs: Cutoffs = [5, 10, 20]
    """Cut-offs k of evidence recall and full-evidence hit."""
    splits: Splits = Splits()
    answering: Answering = Answering()

    def lacking(self) -> list[str]:
        """Parts that memories are built without, sorted."""
        kinds = {"noun", "ner"} - set(self.entities)
        return sorted(kinds | (set() if self.vectors else {"vectors"}))
