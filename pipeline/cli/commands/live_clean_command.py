"""``groupscale live clean``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base.text.printable import printable
from pipeline.cli.commands.live_options import Config, cluster
from pipeline.cli.commands.options import Debug, Json, Warehouse, places
from pipeline.cli.exits import reporting_errors
from pipeline.cli.json_rows import print_rows

if TYPE_CHECKING:
    from pipeline.experiments.live.running.left_behind import Remains


def clean(
    bootstrap: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Also remove topics of dead runs on this cluster."),
    ] = None,
    config: Config = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be removed; remove nothing.")
    ] = False,
    as_json: Json = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Remove leftovers of dead live runs: processes, folders and topics. See docs/live.md."""
    with reporting_errors(debug):
        from live.login.client_properties import NO_PROPERTIES
        from pipeline.experiments.live.running import left_behind

        brokers, properties = bootstrap, NO_PROPERTIES
        if bootstrap is not None or config is not None:
            brokers, properties = cluster(bootstrap, config)
        leftovers = left_behind.find(places(warehouse), brokers, properties)
        if as_json:
            print_rows(map(_row, leftovers))
        elif not leftovers:
            print("No dead live run has left anything.")
        for remains in leftovers:
            for line in [] if as_json else _lines(remains):
                print(printable(line), flush=True)
            if not dry_run:
                left_behind.remove(remains, brokers, properties)
        if leftovers and not as_json:
            print("Nothing was removed (--dry-run)." if dry_run else "All of it was removed.")


def _row(remains: Remains) -> dict[str, object]:
    """What is removed of one run, for programs; sizes are in bytes."""
    from pipeline.experiments.live.running import left_behind

    folder = remains.folder
    return {
        "name": remains.name,
        "processes": [{"pid": pid, "command": words} for pid, words in remains.processes.items()],
        "topics": [f"gs.{run}.*" for run in remains.topics],
        "folder": None if folder is None else str(folder),
        "folder_bytes": None if folder is None else left_behind.size_of(folder),
    }


def _lines(remains: Remains) -> Iterator[str]:
    """What is removed of one run."""
    from pipeline.experiments.live.running import left_behind
    from pipeline.reporting.sections import numbers

    yield f"{remains.name}:"
    for pid, words in remains.processes.items():
        yield f"  process {pid}: {words[:100]}"
    for run in remains.topics:
        yield f"  topics gs.{run}.*"
    if remains.folder is not None:
        mib = left_behind.size_of(remains.folder) / 2**20
        yield f"  folder {remains.folder} ({numbers.fixed(mib, 1)} MiB)"
