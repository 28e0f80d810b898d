"""``groupscale retain``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pipeline.base.errors import InputError
from pipeline.base.text.plain_table import plain_table
from pipeline.base.text.printable import printable
from pipeline.cli.commands.options import Debug, Json, Warehouse, places
from pipeline.cli.exits import reporting_errors
from pipeline.cli.json_rows import print_rows

if TYPE_CHECKING:
    from rich.table import Table

    from pipeline.base.paths import Paths
    from pipeline.engine.retention_policy import Going, Run


def retain(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be deleted; delete nothing.")
    ] = False,
    as_json: Json = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Delete old runs under the retention policy; baselines are kept."""
    from pipeline.engine import maintenance
    from pipeline.warehouse.storage import reader

    with reporting_errors(debug):
        here = places(warehouse)
        tables = reader.of(here)
        listed = maintenance.listing(tables)
        _check(listed, here)
        removed = maintenance.plan(tables) if dry_run else maintenance.retain(here)
        going = maintenance.explained(removed, listed)
        if as_json:
            print_rows(map(_row, going))
            return
        if going:
            Console().print(_table(going))
        word = "Would delete" if dry_run else "Deleted"
        print(f"{word} rows of {len(going):,} {'run' if len(going) == 1 else 'runs'}.")


def _check(listed: Sequence[Run], here: Paths) -> None:
    """Refuse a folder without runs, so that a mistyped one gets no tables."""
    if not listed:
        raise InputError(
            f"warehouse {str(here.warehouse)!r} has no runs; choose another folder with "
            "--warehouse or GROUPSCALE_WAREHOUSE"
        )


def _row(going: Going) -> dict[str, object]:
    run, what, why = going
    return {
        "run_id": run.run_id,
        "preset": run.preset,
        "created_at": run.created_at,
        "deleted": what,
        "reason": why,
    }


def _table(going: Sequence[Going]) -> Table:
    from rich.text import Text

    shown = plain_table()
    for head in ("run", "preset", "created (UTC)", "deleted", "reason"):
        shown.add_column(head, no_wrap=head == "run")
    for run, what, why in going:
        created = f"{run.created_at:%Y-%m-%d %H:%M}"
        cells = (run.run_id, run.preset, created, what, why)
        shown.add_row(*(Text(printable(cell)) for cell in cells))
    return shown
