"""``groupscale run``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pipeline.base import paths
from pipeline.base.text.printable import printable
from pipeline.cli.commands import completion, verdict_options
from pipeline.cli.commands.options import (
    Debug,
    ImportPath,
    Timestamps,
    Values,
    Warehouse,
    places,
)
from pipeline.cli.exits import reporting_errors
from pipeline.settings.presets import DEFAULT, PRESETS

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig


def run(
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(PRESETS)}; see `groupscale presets` \\[default: {DEFAULT}]",
            autocompletion=completion.presets,
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="YAML or JSON file of settings; overrides the preset."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            autocompletion=completion.run_keys,
            help="Setting for all experiments, such as deltas=5,10; overrides preset and file. "
            "Repeatable.",
        ),
    ] = None,
    trace: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Recorded trace (CSV, Parquet or JSON), replaces generated streams. Repeatable.",
        ),
    ] = None,
    warehouse: Warehouse = None,
    run_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Id of the run; replaces an earlier run with this id \\[default: a new id]",
        ),
    ] = None,
    debug: Debug = False,
    values: Values = None,
    timestamps: Timestamps = None,
    import_path: ImportPath = None,
) -> None:
    """Run the pipeline: streams, assignments, scores, latency, Pareto fronts, report."""
    paths.set_defaults()
    with reporting_errors(debug):
        chosen = paths.new_run_id() if run_id is None else paths.check_run_id(run_id)
        said = (values, timestamps)
        _name_folders(import_path or [])
        configuration = _resolve(preset, config, set_ or [], trace or [], said)
        place = places(warehouse)
        place.probe()
        print(f"Run {chosen}: {_described(configuration)}, in {place.warehouse}", flush=True)
        # Imported late, so that help and wrong options respond at once.
        from pipeline.experiments.family_list import notes_of

        for note in notes_of(configuration, chosen):
            print(printable(f"Note: {note}"), flush=True)
        _run(configuration, place, chosen)


def _name_folders(folders: list[Path]) -> None:
    """Import late, as `_resolve` does."""
    from pipeline.settings import own_algorithms

    own_algorithms.name_folders(folders)


def _resolve(
    preset: str | None,
    config: Path | None,
    sets: list[str],
    traces: list[Path],
    said: tuple[str | None, str | None],
) -> RunConfig:
    """Import late, so that help and wrong options respond at once."""
    from pipeline.inputs.traces import reading
    from pipeline.settings.load import resolve

    if not traces:
        reading.refuse(*said, "without --trace")
    return resolve(preset, config, sets, traces, reading=reading.of_options(*said))


def _described(config: RunConfig) -> str:
    names = ", ".join(dict.fromkeys(unit.experiment for unit in config.units()))
    return f"{names} ({config.amount}, seed {config.seed})"


def _run(config: RunConfig, place: paths.Paths, run_id: str) -> None:
    """Run the pipeline, print its result, and where to look."""
    from pipeline.reporting.tracking import own_server, tracked_page

    own_server.use()
    paths.make_tracking_folder()
    from pipeline.base.progress import Progress
    from pipeline.engine import run_end, steps
    from pipeline.engine.local import run_all
    from pipeline.experiments.family_list import family_of

    ctx = run_all(config, place.warehouse, run_id, Progress(stream=sys.stdout))
    console = Console()
    with verdict_options.published_anyway(run_id):
        steps.show(ctx, console)
    print("", *run_end.where(ctx), *tracked_page.lines(config.preset), sep="\n")
    if family_of(config).gated:
        with verdict_options.published_anyway(run_id):
            verdict_options.show(steps.compared(ctx), console)
