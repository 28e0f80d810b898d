"""``groupscale promote``."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import told


def promote(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="A published run.")],
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Why its results are the expected ones from now on.")
    ],
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who says so. Default: the user's name.")
    ] = None,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Accept a run as baseline: later runs of its configuration are compared with it."""
    from pipeline.regression.promote import promote as accept

    with told(debug):
        done = accept(places(warehouse), run_id, reason, by)
        print(f"Run {run_id} is the baseline of its configuration from now on.")
        print(f"Recorded in table baselines: {done.promoted_by}, {done.reason}")
