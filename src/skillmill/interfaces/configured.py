"""The configuration that a run would use, read outside of Snakemake."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

import skillmill
from skillmill.config import check_config
from skillmill.errors import ConfigError
from skillmill.models.encoder import EncoderSettings
from skillmill.settings.models import Encoder as EncoderSection
from skillmill.settings.whole import Config

#: Parts of the encoder's section that are no matter of the encoder itself.
_OF_THE_JOB = {"gpus", "long_texts"}


def workflow_folder() -> Path:
    """Folder of the workflow: this one, or where the package comes from."""
    here = Path.cwd()
    return (
        here if (here / "Snakefile").is_file() else Path(skillmill.__file__).parents[2]
    )


def read_config(overlays: Iterable[Path] = ()) -> Config:
    """The workflow's config.yaml with overlays on it, as `--configfile` lays them.

    Raises
    ------
    ConfigError
        If a file is missing or no YAML mapping, or a key or value cannot be used.
    """
    shipped = workflow_folder() / "config.yaml"
    values = read_overlay(shipped) if shipped.is_file() else {}
    for overlay in overlays:
        values = _laid(values, read_overlay(overlay))
    return check_config(values)


def encoder_settings(section: EncoderSection) -> EncoderSettings:
    """The encoder's section as an encoder takes it."""
    return EncoderSettings(**section.model_dump(exclude=_OF_THE_JOB))


def _laid(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings merged key by key, everything else replaced."""
    both = dict(under)
    for key, value in over.items():
        below = both.get(key)
        merges = isinstance(below, Mapping) and isinstance(value, Mapping)
        both[key] = _laid(below, value) if merges and below is not None else value
    return both


def read_overlay(path: Path) -> dict[str, Any]:
    """One file's mapping.

    Raises
    ------
    ConfigError
        If the file cannot be read, is no YAML, or holds no keys at all: Snakemake
        would say that without the file and the line. Also if a key is there twice:
        the first would count for nothing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        _refuse_twice(path, node)
        content = None if node is None else loader.construct_document(node)
    except OSError as error:
        raise ConfigError(
            f"{path}: expected a configuration, got {error.strerror}; name a YAML file,"
            " such as configs/locomo.yaml",
            record=str(path),
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(
            f"{path}{_line_of(error)}: this is no YAML: {_said(error)}; mend it",
            record=str(path),
        ) from error
    if not isinstance(content, dict):
        found = "none" if content is None else f"a {type(content).__name__}"
        raise ConfigError(
            f"{path}, line 1: expected keys and values, got {found}; write `key: value`"
            " lines as in config.yaml, or leave the file out",
            record=str(path),
        )
    return content


def _refuse_twice(path: Path, node: yaml.Node | None) -> None:
    """Refuse a mapping, at any depth, that has a key twice."""
    below = node.value if isinstance(node, yaml.CollectionNode) else []
    lines: dict[str, int] = {}
    for part in below:
        key, value = part if isinstance(part, tuple) else (None, part)
        if isinstance(key, yaml.ScalarNode):
            line = key.start_mark.line + 1
            if key.value in lines:
                raise ConfigError(
                    f"{path}, line {line}: expected each key once, got {key.value!r}"
                    f" again after line {lines[key.value]}; put both parts below one",
                    record=key.value,
                )
            lines[key.value] = line
        _refuse_twice(path, value)


def _line_of(error: Exception) -> str:
    """Where a file stops being YAML, as far as it is known."""
    if isinstance(error, UnicodeDecodeError):
        before = error.object[: error.start]
        return f", line {len(before.splitlines()) or 1}"
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return f", line {mark.line + 1}" if mark else ""


def _said(error: Exception) -> str:
    """What the parser met, in a few words."""
    if isinstance(error, UnicodeDecodeError):
        return "bytes that are no UTF-8"
    if isinstance(error, yaml.MarkedYAMLError):
        said = (error.problem, error.context)
        return " ".join(part for part in said if part) or "something else"
    return " ".join(str(error).split())
