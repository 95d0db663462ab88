"""`skillmill doctor`: what this machine and this configuration are good for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast, get_args

from skillmill.config import gate_fits
from skillmill.errors import SkillmillError
from skillmill.interfaces.configured import encoder_settings
from skillmill.interfaces.finding import Finding, Grade
from skillmill.interfaces.given import check_given
from skillmill.interfaces.machine import (
    check_folders,
    check_packages,
    check_processor,
    check_python,
    check_sqlite,
)
from skillmill.interfaces.prefetch import check_models
from skillmill.models.abilities import (
    Ability,
    chat_abilities,
    context_length,
    embedding_ability,
)
from skillmill.models.direct import direct_client
from skillmill.models.heuristics.registry import STAND_INS
from skillmill.settings.models import Role
from skillmill.settings.whole import Config

if TYPE_CHECKING:
    import httpx2

#: An endpoint that takes longer for a short question is of little use.
TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """A chat model to ask what it can do."""

    model: str
    base_url: str
    key_variable: str | None = None


def diagnose(
    config: Config,
    chat: ChatEndpoint | None = None,
    http_client: "httpx2.Client | None" = None,
) -> list[Finding]:
    """Look at everything a run of this configuration needs; nothing is changed.

    Parameters
    ----------
    config : Config
        The configuration.
    chat : ChatEndpoint or None
        A chat model that is asked, too.
    http_client : httpx2.Client or None
        Used for endpoints in place of an own one.
    """
    return [
        check_python(),
        check_sqlite(),
        *check_packages(),
        *check_processor(config),
        *check_folders(config),
        *check_given(config),
        *check_models(config, prepare=False),
        *_check_endpoints(config, chat, http_client),
        *roles(config, chat),
    ]


def roles(config: Config, chat: ChatEndpoint | None) -> list[Finding]:
    """What does the work of each role."""
    encoder = config.encoder
    served = encoder.name.startswith("endpoint:")
    by = encoder.name if served else f"{encoder.name} by {encoder.backend}"
    found = {"encoder": by, "tagger": config.tagger.name}
    if chat is not None:
        found["chat"] = (
            f"{chat.model} at the endpoint asked above, once it is configured"
        )
    found |= {role: _used_by(config, role) for role in STAND_INS}
    if not gate_fits(config):
        found["off-topic gate"] = (
            f"none by cosine: it was fitted for {config.library.gate_encoder}; fit it"
            " with `skillmill queries calibrate`"
        )
    return [Finding(f"role {role}", "note", used) for role, used in found.items()]


def _used_by(config: Config, role: str) -> str:
    """The model of a role and where it is, or what stands in for it."""
    stand_in = STAND_INS[role].label
    if role not in get_args(Role):
        return stand_in
    name = cast(Role, role)
    if not config.models.is_asked(name):
        return stand_in
    model = config.models.of(name)
    recorded = ", recorded replies alone" if config.models.mode == "replay" else ""
    return f"{model.model} at {model.base_url}{recorded}"


def configured(config: Config) -> list[ChatEndpoint]:
    """The chat models that a run asks, each once, in the order of the roles."""
    if config.models.mode != "live":
        return []
    models = [
        config.models.of(role)
        for role in get_args(Role)
        if config.models.is_asked(role)
    ]
    found = [ChatEndpoint(m.model, m.base_url, m.key_variable) for m in models]
    return list(dict.fromkeys(found))


def _check_endpoints(
    config: Config, chat: ChatEndpoint | None, http_client: "httpx2.Client | None"
) -> list[Finding]:
    """Findings about the endpoints of the encoder and of a chat model."""
    findings: list[Finding] = []
    if config.encoder.name.startswith("endpoint:"):
        try:
            findings += _check_embeddings(config, http_client)
        except SkillmillError as error:
            findings.append(Finding("endpoint of the encoder", "stops", str(error)))
    for asked in dict.fromkeys([*configured(config), *([chat] if chat else [])]):
        try:
            findings += _check_chat(asked, http_client)
        except SkillmillError as error:
            findings.append(Finding("endpoint of the chat model", "stops", str(error)))
    return findings


def _check_embeddings(
    config: Config, http_client: "httpx2.Client | None"
) -> list[Finding]:
    """Findings about the encoder's endpoint: without vectors a run stops."""
    endpoint = encoder_settings(config.encoder).endpoint
    client = direct_client(
        endpoint.base_url, endpoint.key_variable, "encoder", TIMEOUT_S, http_client
    )
    found = [embedding_ability(client, endpoint.model, endpoint.dimension)]
    if found[0].state == "yes":
        found.append(context_length(client, endpoint.model))
    return [
        _finding(ability, "encoder", endpoint.model, client.address.url, "stops")
        for ability in found
    ]


def _check_chat(
    chat: ChatEndpoint, http_client: "httpx2.Client | None"
) -> list[Finding]:
    """Findings about a chat endpoint: only a chat is needed, the rest is better."""
    client = direct_client(
        chat.base_url, chat.key_variable, "chat", TIMEOUT_S, http_client
    )
    found = chat_abilities(client, chat.model)
    if found[-1].state != "unreachable":
        found += [
            embedding_ability(client, chat.model),
            context_length(client, chat.model),
        ]
    return [
        _finding(
            ability,
            "chat model",
            chat.model,
            client.address.url,
            "stops" if ability.name == "chat" else "note",
        )
        for ability in found
    ]


def _finding(
    ability: Ability, whose: str, model: str, url: str, without: Grade
) -> Finding:
    """An ability as a line; `without` is how bad it is to lack it."""
    good: Grade = "ok" if ability.state == "yes" else "note"
    lacks = ability.state in ("no", "unreachable")
    said = f"{model} at {url}: {ability.name}: {ability.state} ({ability.detail})"
    return Finding(f"endpoint of the {whose}", without if lacks else good, said)
