"""``groupscale live verify``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from pipeline.base import paths
from pipeline.base.errors import StageError
from pipeline.base.text.plain_table import plain_table
from pipeline.cli.commands import completion
from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import reporting_errors


def verify(
    run_id: Annotated[
        str,
        typer.Argument(metavar="RUN_ID", autocompletion=completion.runs, help="Id of a live run."),
    ],
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Count lost and repeated records of a live run again, from the evidence of its consumers."""
    with reporting_errors(debug):
        from pipeline.experiments.live.running.verification import verify as verified
        from pipeline.warehouse.runs import context

        ctx = context.named(places(warehouse), paths.check_run_id(run_id))
        table = plain_table()
        table.add_column("strategy", no_wrap=True)
        table.add_column("stream", overflow="fold")
        for head in ("sent", "read", "lost", "twice", "unordered", "overlaps", "faults"):
            table.add_column(head, justify="right", no_wrap=True)
        damaged = []
        for one in verified(ctx):
            counts = (
                one.sent,
                one.read,
                one.lost,
                one.twice,
                one.out_of_order,
                one.overlapping_epochs,
            )
            words = [f"{count:,}" for count in (*counts, one.faults)]
            table.add_row(one.strategy, one.stream_id, *words)
            if not one.is_whole:
                damaged.append(f"{one.strategy} on {one.stream_id}")
        Console().print(table)
        if damaged:
            raise StageError(f"records were lost, repeated or reordered: {', '.join(damaged)}")
