"""``groupscale run``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from pipeline import addresses, paths
from pipeline.commands.options import Debug, Warehouse, places
from pipeline.failures import told

if TYPE_CHECKING:
    from pipeline.config import RunConfig
    from pipeline.context import RunContext


def run(
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="paper (default), nightly or smoke; see `presets`."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="YAML or JSON file of settings; wins over the preset."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Setting for every experiment, such as deltas=5,10; wins over all. Repeatable.",
        ),
    ] = None,
    trace: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Recorded trace (CSV, Parquet, JSON) in place of generated streams. Repeatable.",
        ),
    ] = None,
    warehouse: Warehouse = None,
    run_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Name of the run; rows of an earlier run of this name are replaced."
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Run the whole pipeline: streams, assignments, scores, latency, fronts, report."""
    paths.set_defaults()
    with told(debug):
        chosen = paths.new_run_id() if run_id is None else paths.check_run_id(run_id)
        configuration = _resolve(preset, config, set_ or [], trace or [])
        place = places(warehouse)
        place.probe()
        print(f"Run {chosen}: {_described(configuration)}, into {place.warehouse}", flush=True)
        for note in _notes(configuration):
            print(f"Note: {note}", flush=True)
        _run(configuration, place, chosen)


def _resolve(
    preset: str | None, config: Path | None, sets: list[str], traces: list[Path]
) -> RunConfig:
    """Import late, so that help and wrong options answer at once."""
    from pipeline.resolve import resolve

    return resolve(preset, config, sets, traces)


def _notes(config: RunConfig) -> list[str]:
    from pipeline import trace_sources

    return trace_sources.notes(config.traces, config.experiments[0])


def _described(config: RunConfig) -> str:
    names = ", ".join(experiment.name for experiment in config.experiments)
    many = "stream" if config.n_streams() == 1 else "streams"
    return f"{names} ({config.n_streams():,} {many}, seed {config.seed})"


def _run(config: RunConfig, place: paths.Paths, run_id: str) -> None:
    """Run the pipeline and show what it found."""
    paths.make_tracking_folder()
    from pipeline import runner
    from pipeline.progress import Progress
    from pipeline.summary_tables import render
    from pipeline.whole import run_all

    ctx = run_all(config, place.warehouse, run_id, Progress(stream=sys.stdout))
    console = Console()
    with _published_anyway(run_id):
        console.print(render(runner.summary(ctx), console))
    print(f"\nRun {run_id} is published in {place.warehouse}")
    print(f"Report: {ctx.paths.report(run_id)}")
    print(f"MLflow: {addresses.shown(paths.tracking_uri())}")
    with _published_anyway(run_id):
        _compare(ctx, console)


@contextmanager
def _published_anyway(run_id: str) -> Iterator[None]:
    """Say that something cannot be shown, and go on: the exit status is about the run."""
    try:
        yield
    except Exception as error:
        said = addresses.shown(f"{type(error).__name__}: {error}")
        print(f"Run {run_id} is published, but cannot be shown: {said}", file=sys.stderr)


def _compare(ctx: RunContext, console: Console) -> None:
    """Say what differs from the baseline; a run in which something moved is published as well."""
    from pipeline import runner
    from pipeline.regression import words

    found = runner.compared(ctx)
    console.print()
    console.print(words.table(found, words.LISTED))
    if found.is_red:
        console.print()
        console.print(Text(f"Warning: {words.warning(found)}", "bold"))
        print(words.remedy(found))
