"""``groupscale live brokers plan``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.commands.live_options import Bootstrap, Config, cluster
from pipeline.cli.commands.options import Debug, summary
from pipeline.cli.exits import reporting_errors

brokers = typer.Typer(
    name="brokers",
    help="Plan which replicas move when brokers are added or removed.",
    no_args_is_help=True,
)


def plan(
    bootstrap: Bootstrap = None,
    add: Annotated[
        list[int] | None,
        typer.Option(metavar="ID", help="Broker that is added; repeatable."),
    ] = None,
    remove: Annotated[
        list[int] | None,
        typer.Option(metavar="ID", help="Broker that is removed; repeatable."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="New JSON file for kafka-reassign-partitions \\[default: none]",
        ),
    ] = None,
    no_racks: Annotated[
        bool, typer.Option("--no-racks", help="Do not spread replicas over racks.")
    ] = False,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Plan the fewest moves for brokers added or removed. Only reads. See docs/brokers.md."""
    with reporting_errors(debug):
        from rich.console import Console

        from live.user_cluster import broker_plan, cluster_placement
        from live.user_cluster.trace_file import check_new
        from pipeline.cli import whole_files
        from pipeline.cli.live import broker_plan_text

        broker_plan.check_change(add or [], remove or [])
        if output is not None:
            check_new(output)
        to, properties = cluster(bootstrap, config)
        placement = cluster_placement.read(to, properties)
        best = broker_plan.plan(placement, add or [], remove or [], not no_racks)
        if output is not None and best.changes:
            with whole_files.written(output, force=False) as draft:
                draft.write_text(broker_plan.reassignment_json(best.changes), encoding="utf-8")
        Console().print(broker_plan_text.table(best))
        print()
        for line in broker_plan_text.outcome(best, output, to):
            print(line)


brokers.command("plan", short_help=summary(plan))(plan)
