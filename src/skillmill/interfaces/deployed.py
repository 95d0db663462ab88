"""What an evolution deployed, taken to other memories: its skills and its router."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skillmill.errors import InputError
from skillmill.evolve import router as learned
from skillmill.evolve.prior_router import (
    Router,
    UtilityRouting,
    Vectors,
    hash_vectors,
    picks,
)
from skillmill.evolve.storing import state_of
from skillmill.models.encoder import EncoderSettings, identity_of, load_encoder
from skillmill.settings.evolution import Evolution
from skillmill.skills.plugins import installed_primitives
from skillmill.skills.skill import render_skill
from skillmill.store import artifact, evolution, vectors
from skillmill.types import RetrievalSkill

#: Before the arms of what was taken from another study.
TRANSFERRED = "transferred:"
ROUTED = f"{TRANSFERRED}routed"
BEST = f"{TRANSFERRED}best"


@dataclass(frozen=True, eq=False)
class Deployed:
    """The deploy frontier of an evolution and the router that chooses from it.

    Attributes
    ----------
    path : Path
        The store it comes from.
    skills : tuple of RetrievalSkill
        At least one.
    best : int
        Place of the skill with the highest mean reward on the validation questions of
        its own study.
    router : Router or None
        None before the first step; then the best skill is taken for all.
    skill_vectors : (s, d) floats
        What the router sees of each skill.
    encoder : EncoderSettings or None
        What made them, and must make the questions' vectors; None where the router
        reads none.
    own : bool
        Whether that is another encoder than the memories'.
    sure : bool
        Whether the router also reads how sure the searches are of a question.
    """

    path: Path
    skills: tuple[RetrievalSkill, ...]
    best: int
    router: Router | None
    skill_vectors: Vectors
    encoder: EncoderSettings | None
    own: bool = False
    sure: bool = False

    def require_encoder(self, memory: Path) -> None:
        """Refuse a memory whose questions were encoded by another model.

        Raises
        ------
        ModelError
            Naming both.
        """
        if self.encoder is not None and not self.own:
            with artifact.reading(memory, "memory") as db:
                vectors.require_encoder(db, identity_of(self.encoder))

    def route(
        self,
        questions: Vectors,
        texts: Sequence[str] = (),
        features: Vectors | None = None,
    ) -> list[RetrievalSkill]:
        """The skill of each question, by its (q, d) vectors.

        A router with an encoder of its own reads the `texts` in their place, and one
        with `sure` the `features` behind them (`evolve.confidence`).
        """
        if self.own and self.encoder is not None:
            questions = load_encoder(self.encoder).encode(list(texts))
        if self.sure and features is not None:
            questions = np.concatenate([questions, features], axis=1)
        if self.router is None or not len(questions):
            return [self.skills[self.best]] * len(questions)
        asked = np.asarray(questions, dtype=np.float32)
        chosen = picks(self.router, asked, self.skill_vectors)
        return [self.skills[place] for place in chosen]


def read_deployed(path: Path) -> Deployed:
    """Read the last state of an evolution.

    Raises
    ------
    StoreError
        If there is none at the path.
    InputError
        If its router was a language model, or a skill needs a primitive that is not
        installed.
    """
    with artifact.reading(path, "evolution") as db:
        rows = evolution.load_evolution(db)
        params = artifact.load_provenance(db).params
    section = Evolution.model_validate(params["section"])
    state = state_of(rows, section.identity, installed_primitives())
    skills = state.skills(state.deploy)
    best = state.deploy.index(state.validation.only(state.deploy).best_single())
    kind = section.router.kind
    if kind == "llm":
        raise InputError(
            f"{path}: its questions were routed by a language model, so there is no"
            " router to take along; name one whose evolution.router.kind is learned or"
            " utility",
            record=str(path),
        )
    encoder = None
    rows_of_skills = hash_vectors([skill.content_hash for skill in skills])
    routing = learned if kind == "learned" else UtilityRouting()
    if kind == "learned":
        noted = params["encoder"]
        encoder = EncoderSettings(**noted if isinstance(noted, dict) else {})
        rows_of_skills = _encoded(skills, encoder)
    router = None if state.router is None else routing.load(state.router)
    own = encoder is not None and bool(section.router.encoder.name)
    sure = encoder is not None and section.router.confidence
    return Deployed(path, skills, best, router, rows_of_skills, encoder, own, sure)


def _encoded(skills: Sequence[RetrievalSkill], encoder: EncoderSettings) -> Vectors:
    """Vectors of the skills' markdown, (s, d)."""
    texts = [render_skill(skill) for skill in skills]
    return np.asarray(load_encoder(encoder).encode(texts), dtype=np.float32)
