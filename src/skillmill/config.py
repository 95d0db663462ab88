"""The configuration, checked: one error that lists every key to mend.

Only rules, scripts' callers and interfaces read this; functions of the package get
numbers. The JSON schema beside this file (`config.schema.json`) is exported from the
sections in `settings/` by `python -m skillmill.config`; a test fails when it is stale.
"""

import difflib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from skillmill.errors import ConfigError
from skillmill.settings.described import with_descriptions
from skillmill.settings.evolution import Evolution
from skillmill.settings.memory import Splits
from skillmill.settings.models import Encoder, Models
from skillmill.settings.section import Section
from skillmill.settings.whole import Config

SCHEMA = Path(__file__).with_name("config.schema.json")


def check_config(values: Mapping[str, Any]) -> Config:
    """Typed configuration, or one error that lists every key to mend.

    Raises
    ------
    ConfigError
        With the path of each bad key, what was expected and got, and for an unknown
        key the nearest known one.
    """
    try:
        config = Config.model_validate(dict(values))
    except ValidationError as error:
        lines = [_line(dict(item)) for item in error.errors()]
        raise ConfigError("config: " + "; ".join(lines)) from None
    _check_studies(config)
    _check_encoder(config.encoder)
    _check_models(config.models)
    _check_cutoffs(config)
    _check_parts(config)
    _check_evolution(config)
    return _of_encoder(_of_benchmark(config))


def _of_benchmark(config: Config) -> Config:
    """The same with the budgets and seeds of the benchmark that a study follows."""
    protocol = config.downstream.protocol()
    if protocol is None:
        return config
    trace = config.library.trace
    arms = trace.arms
    own = [protocol.gos.budget, *([protocol.budget] if protocol.budget else [])]
    peers = arms.peers.model_copy(update={"seeds": protocol.gos.seeds})
    arms = arms.model_copy(
        update={"budgets": sorted({*arms.budgets, *own}), "peers": peers}
    )
    budget = protocol.budget or trace.budget
    trace = trace.model_copy(update={"arms": arms, "budget": budget})
    library = config.library.model_copy(update={"trace": trace})
    return config.model_copy(update={"library": library})


def gate_fits(config: Config) -> bool:
    """Whether the off-topic gate was fitted for the encoder that is configured."""
    return config.library.gate_encoder == config.encoder.name


def _of_encoder(config: Config) -> Config:
    """The same without a gate by cosine that was fitted for another encoder."""
    if gate_fits(config):
        return config
    ranker = config.library.ranker.model_copy(update={"gate": 0.0})
    library = config.library.model_copy(update={"ranker": ranker})
    return config.model_copy(update={"library": library})


def require_track(config: Config) -> None:
    """Refuse to build nothing.

    Raises
    ------
    ConfigError
        If neither track has a path.
    """
    if config.library.path is None and config.memory.path is None:
        raise ConfigError(
            "config: library.path and memory.path are both null, so there is nothing to"
            " build; set one of them"
        )


def _check_cutoffs(config: Config) -> None:
    """Refuse cut-offs past what a ranking holds."""
    for key, cutoffs, bound, held in (
        (
            "library",
            config.library.cutoffs,
            "library.ranker.depth",
            config.library.ranker.depth,
        ),
        ("memory", config.memory.cutoffs, "memory.budget", config.memory.budget),
    ):
        if max(cutoffs) > held:
            raise ConfigError(
                f"config: {key}.cutoffs asks for the top {max(cutoffs)}, but a ranking"
                f" holds {bound} = {held}; raise the one or lower the other"
            )


def _check_parts(config: Config) -> None:
    """Refuse memories without vectors where a model is to be asked about near atoms."""
    if config.memory.vectors:
        return
    for role in ("relation_extraction", "memory_writer"):
        if config.models.is_asked(role):
            raise ConfigError(
                f"config: memory.vectors is false, and models.roles asks {role}, which"
                " looks at atoms by their vectors; set memory.vectors to true, or give"
                " that role the model ''"
            )


def _check_encoder(encoder: Encoder) -> None:
    """Refuse credentials, which would be stored with each job's parameters."""
    if "@" in (encoder.base_url or ""):
        raise ConfigError(
            "config: encoder.base_url holds credentials; take them out, export the key"
            " as an environment variable and name that in encoder.key_variable"
        )


def _check_models(models: Models) -> None:
    """Refuse credentials, and a mode that asks models where none has a name."""
    places = {"default": models.default}
    places |= {f"roles.{role}": models.of(role) for role in models.roles}
    for place, model in places.items():
        if "@" in model.base_url or "?" in model.base_url:
            raise ConfigError(
                f"config: models.{place}.base_url holds credentials or a query; take"
                " them out, export the key as an environment variable and name that in"
                " key_variable"
            )
    if models.mode != "off" and not any(model.model for model in places.values()):
        raise ConfigError(
            f"config: models.mode is {models.mode!r} but no model has a name; set"
            " models.default.model, or that of a role in models.roles"
        )
    unpriced = [
        place
        for place, model in places.items()
        if model.model and (model.price_in is None or model.price_out is None)
    ]
    if models.budget.usd is not None and unpriced:
        raise ConfigError(
            f"config: models.budget.usd counts money, and models.{unpriced[0]} has no"
            " price; set its price_in and price_out (0 for a model of your own)"
        )


def _check_studies(config: Config) -> None:
    """Refuse variant names that would overwrite the study itself."""
    if config.study in config.library.distractors.variants:
        raise ConfigError(
            f"config: library.distractors.variants names {config.study!r}, which is the"
            " study itself; give the variant another name"
        )
    named = [c for names in config.memory.splits.named.values() for c in names]
    twice = sorted({c for c in named if named.count(c) > 1})
    if twice:
        raise ConfigError(
            f"config: memory.splits puts {', '.join(twice)} into more than one split;"
            " name each conversation once"
        )
    _check_sizes(config.memory.splits)


def _check_sizes(splits: Splits) -> None:
    """Refuse sizes of which some splits are named and others are to be drawn."""
    sizes = splits.questions.model_dump()
    unnamed = [name for name in sizes if sizes[name] and not splits.named[name]]
    if unnamed and not splits.drawn:
        raise ConfigError(
            "config: memory.splits names conversations, but none of"
            f" {', '.join(unnamed)}, which memory.splits.questions gives a size; name"
            " those of all splits, or of none, and they are drawn"
        )


def _check_evolution(config: Config) -> None:
    """Refuse variants that are none, and settings that contradict each other."""
    section = config.evolution
    if "default" in section.variants:
        raise ConfigError(
            "config: evolution.variants names 'default', which is the section itself;"
            " give the variant another name"
        )
    for name in ("default", *section.variants):
        place = "evolution" if name == "default" else f"evolution.variants.{name}"
        try:
            one = section.variant(name)
        except ValidationError as error:
            lines = [f"{place}.{_line(dict(item))}" for item in error.errors()]
            raise ConfigError("config: " + "; ".join(lines)) from None
        if one.variants:
            raise ConfigError(f"config: {place} has variants of its own; take them out")
        if one.cutoff > config.memory.budget:
            raise ConfigError(
                f"config: {place}.cutoff looks at {one.cutoff} atoms, but a ranking"
                f" holds memory.budget = {config.memory.budget}; raise the one or lower"
                " the other"
            )
        _check_router(one, place)
        if one.racing and one.supervision == "all":
            raise ConfigError(
                f"config: {place}.racing leaves rollouts out, so supervision cannot be"
                " 'all'; set it to 'retained', or racing to false"
            )


def _check_router(section: Evolution, place: str) -> None:
    """Refuse keys that the kind of router does not read."""
    router = section.router
    for key, used in (("confidence", router.confidence), ("budgets", router.budgets)):
        if used and router.kind != "learned":
            raise ConfigError(
                f"config: {place}.router.{key} is for a learned router, and kind is"
                f" {router.kind!r}; set kind to 'learned', or take {key} out"
            )


def _line(item: dict[str, Any]) -> str:
    """One pydantic error as a phrase."""
    path = ".".join(str(part) for part in item["loc"])
    if item["type"] != "extra_forbidden":
        return (
            f"{path}: {item['msg'][0].lower()}{item['msg'][1:]}, got {item['input']!r}"
        )
    near = nearest_key(path)
    hint = f"; the nearest known key is {near!r}" if near else ""
    return f"{path}: unknown key{hint}"


def nearest_key(path: str) -> str | None:
    """The known dotted key most like `path`, or None when none is near."""
    known = list(_keys(Config))
    leaf = path.rsplit(".", 1)[-1]
    scope = path.rsplit(".", 1)[0] + "." if "." in path else ""
    beside = [key for key in known if key.startswith(scope)]
    for names, wanted in ((beside, path), (known, path)):
        found = difflib.get_close_matches(wanted, names, n=1, cutoff=0.6)
        if found:
            return found[0]
    elsewhere = [key for key in known if key.rsplit(".", 1)[-1] == leaf]
    return elsewhere[0] if elsewhere else None


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Dotted names of every key, depth first."""
    for name, field in model.model_fields.items():
        yield prefix + name
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from _keys(field.annotation, f"{prefix}{name}.")


def find_path(value: str, key: str, *, data_root: str, base: Path) -> Path:
    """Where a configured path lies.

    `{data_root}` at its start stands for the data folder. A relative path is looked
    up from the working directory first, then from the workflow's own folder, so that
    the shipped sample is found from anywhere.

    Raises
    ------
    ConfigError
        If nothing lies there; the message names the key and the way out.
    """
    root = os.environ.get("SKILLMILL_DATA") or data_root
    wanted = Path(value.replace("{data_root}", root, 1)).expanduser()
    places = [wanted] if wanted.is_absolute() else [wanted, base / wanted]
    for place in places:
        if place.exists():
            return place
    way = (
        "set the environment variable SKILLMILL_DATA (or data_root) to the folder that"
        " holds the data"
        if value.startswith("{data_root}")
        else "mend the path in the configuration"
    )
    raise ConfigError(
        f"config: {key}: nothing lies at {' or '.join(map(str, places))}; {way}",
        record=key,
    )


def json_schema() -> str:
    """The model as a JSON schema, as text with a final line end."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    schema = draft | with_descriptions(Config.model_json_schema(), Config)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(json_schema(), encoding="utf-8")
