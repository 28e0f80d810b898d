"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline import paths

Warehouse = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Folder of the tables. Default: GROUPSCALE_WAREHOUSE, or warehouse."
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]


def places(warehouse: Path | None) -> paths.Paths:
    """The warehouse that was asked for, else the environment's."""
    return paths.Paths(warehouse if warehouse is not None else paths.warehouse())
