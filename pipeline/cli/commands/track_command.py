"""``groupscale track``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from pipeline.base import paths
from pipeline.cli.commands import completion, verdict_options
from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import reporting_errors
from schemas.tables.common.runs import PUBLISHED


def track(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN_ID", autocompletion=completion.runs, help="Run to log.")
    ],
    publish: Annotated[
        bool,
        typer.Option(
            "--publish", help="Publish the run if its tables are complete and pass all checks."
        ),
    ] = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Log a run to MLflow from its tables, replacing earlier entries."""
    with reporting_errors(debug):
        chosen, place = paths.check_run_id(run_id), places(warehouse)
        paths.set_defaults()
        place.probe()
        paths.make_tracking_folder()
        from pipeline.base.progress import Progress
        from pipeline.engine import late_tracking
        from pipeline.reporting.tracking import tracked_page

        status = late_tracking.track(place, chosen, publish, Progress(stream=sys.stdout))
        print()
        print(*tracked_page.lines(_preset(place, chosen)), sep="\n")
        print(f"Report: {place.report(chosen)}")
        if status == PUBLISHED:
            print(f"Run {chosen} is published in {place.warehouse}")
            with verdict_options.published_anyway(chosen):
                _show_verdict(place, chosen)
        else:
            print(
                f"Run {chosen} is {status}, not published. Its tables are complete; to publish "
                f"it, run: groupscale track {chosen} --publish"
            )


def _preset(place: paths.Paths, run_id: str) -> str | None:
    from pipeline.warehouse.storage import reader

    presets = reader.of(place).rows("runs", ["preset"], run_id=[run_id])["preset"].to_pylist()
    return next(map(str, presets), None)


def _show_verdict(place: paths.Paths, run_id: str) -> None:
    from pipeline.cli.commands import gated_family
    from pipeline.reporting.regression import outcome
    from pipeline.warehouse.storage import reader

    source = reader.of(place)
    if gated_family.ungated(source, run_id) is None:
        verdict_options.show(outcome.recorded(source, run_id), Console())
