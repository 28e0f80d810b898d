"""``groupscale live clean``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.commands.live_options import Config, cluster
from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import reporting_errors
from pipeline.text.printable import printable

if TYPE_CHECKING:
    from pipeline.measured.left_behind import Remains


def clean(
    bootstrap: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Also remove topics of dead runs on this cluster."),
    ] = None,
    config: Config = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be removed; remove nothing.")
    ] = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Remove what dead live runs have left: processes, folders and topics. See docs/live.md."""
    with reporting_errors(debug):
        from pipeline.live.own_cluster.client_properties import NO_PROPERTIES
        from pipeline.measured import left_behind

        brokers, properties = bootstrap, NO_PROPERTIES
        if bootstrap is not None or config is not None:
            brokers, properties = cluster(bootstrap, config)
        found = left_behind.find(places(warehouse), brokers, properties)
        if not found:
            print("No dead live run has left anything.")
        for remains in found:
            for line in _lines(remains):
                print(printable(line), flush=True)
            if not dry_run:
                left_behind.remove(remains, brokers, properties)
        if found:
            print("Nothing was removed (--dry-run)." if dry_run else "All of it was removed.")


def _lines(remains: Remains) -> Iterator[str]:
    """What is removed of one run."""
    from pipeline.measured import left_behind
    from pipeline.report import numbers

    yield f"{remains.name}:"
    for pid, words in remains.processes.items():
        yield f"  process {pid}: {words[:100]}"
    for run in remains.topics:
        yield f"  topics gs.{run}.*"
    if remains.folder is not None:
        mib = left_behind.size_of(remains.folder) / 2**20
        yield f"  folder {remains.folder} ({numbers.fixed(mib, 1)} MiB)"
