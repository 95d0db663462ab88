"""Commands that let configured language models steer a search and answer."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from skillmill.evaluate.model_reader import ROLE as READING
from skillmill.interfaces.chat import Command, asking
from skillmill.interfaces.configured import read_config
from skillmill.interfaces.reading import ModelReader, Reader, StandInReader
from skillmill.settings.models import Role
from skillmill.skills.asking import Ask
from skillmill.skills.processing import ROLE as PROCESSING
from skillmill.skills.processing import ChatProcess

if TYPE_CHECKING:
    import httpx2


@contextmanager
def steered(
    name: str,
    study: str,
    overlays: Sequence[Path],
    *,
    reading: bool = False,
    http_client: "httpx2.AsyncClient | None" = None,
) -> Iterator[tuple[Ask | None, Reader | None]]:
    """What a command's step `llm_process` asks, and who answers.

    Parameters
    ----------
    name, study : str
        For the log of costs.
    overlays : sequence of Path
        Configurations, as `--configfile` names them; without any no model is asked.
    reading : bool
        Whether somebody should answer: the model of the role `answer`, or else the
        stand-in.

    Raises
    ------
    SkillmillError
        As the configuration and the client.
    """
    stand_in = StandInReader(None) if reading else None
    if not overlays:
        yield None, stand_in
        return
    config = read_config(overlays)
    wanted: list[Role] = [PROCESSING, READING] if reading else [PROCESSING]
    roles = [role for role in wanted if config.models.is_asked(role)]
    command = Command(name, study, Path(config.records), config.models.model_dump())
    with asking(command, roles, http_client) as client:
        model = ChatProcess(client) if PROCESSING in roles else None
        reader: Reader | None = stand_in
        if READING in roles:
            reader = ModelReader(client, config.models.of(READING).model)
        yield model, reader
