"""``groupscale promote``."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.commands import completion
from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import reporting_errors


def promote(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN_ID", autocompletion=completion.runs, help="Published run.")
    ],
    reason: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Reason for accepting this run as the new baseline."),
    ],
    by: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name recorded as approver \\[default: current user]"),
    ] = None,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Accept a run as the baseline for later runs of the same configuration."""
    from pipeline.cli.commands import gated_family
    from pipeline.reporting.regression.promote import promote as accept
    from pipeline.warehouse.storage import reader

    with reporting_errors(debug):
        place = places(warehouse)
        gated_family.check(reader.of(place), run_id)
        done = accept(place, run_id, reason, by)
        print(f"Run {run_id} is now the baseline of its configuration.")
        print(f"Approved by {done.promoted_by}: {done.reason} (table baselines)")
