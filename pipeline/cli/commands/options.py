"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline import paths

Warehouse = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of tables and reports \\[default: $GROUPSCALE_WAREHOUSE, or warehouse]",
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Print the traceback of an error.")]


def places(warehouse: Path | None) -> paths.Paths:
    """Paths in the given warehouse, else in the default one."""
    return paths.Paths(warehouse if warehouse is not None else paths.warehouse())
