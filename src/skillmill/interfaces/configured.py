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
    values = _read(shipped) if shipped.is_file() else {}
    for overlay in overlays:
        values = _laid(values, _read(overlay))
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


def _read(path: Path) -> dict[str, Any]:
    """One file's mapping; an empty file has none of the keys."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{path}: expected a configuration, got {error.strerror}; name a YAML file,"
            " such as configs/locomo.yaml",
            record=str(path),
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        raise ConfigError(
            f"{path}: expected YAML, got {said}; mend the file", record=str(path)
        ) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigError(
            f"{path}: expected keys and values, got a {type(content).__name__}; write"
            " `key: value` lines as in config.yaml",
            record=str(path),
        )
    return content
