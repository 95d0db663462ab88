"""Options that several commands have."""

from pathlib import Path

import click

RESULTS = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder of the results.",
)
RECORDS = click.option(
    "--records",
    type=click.Path(path_type=Path),
    default=Path("records"),
    show_default=True,
    help="Folder of the record stores.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON row a line.")
CONFIG = click.option(
    "--configfile",
    "overlays",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Configuration laid over config.yaml; may be repeated.",
)
