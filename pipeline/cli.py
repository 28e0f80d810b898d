"""The command ``groupscale``.

Exit status: 0 done and published, 2 the input is wrong and nothing was written, 1 a stage or a
validation failed and nothing is published.
"""

from __future__ import annotations

import os
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pipeline import paths
from pipeline.failures import told

if TYPE_CHECKING:
    from pipeline.config import RunConfig

app = typer.Typer(
    name="groupscale",
    help="Which assignment strategy a consumer group should use, and what it costs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; the console script's entry point."""
    app(prog_name="groupscale")


def _version(wanted: bool) -> None:
    if not wanted:
        return
    try:
        print(f"groupscale {metadata.version('groupscale')}")
    except metadata.PackageNotFoundError:
        print("groupscale (not installed)")
    raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Which assignment strategy a consumer group should use, and what it costs."""


@app.command()
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
    warehouse: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of the tables. Default: GROUPSCALE_WAREHOUSE, or warehouse."
        ),
    ] = None,
    run_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Name of the run; rows of an earlier run of this name are replaced."
        ),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Run the whole pipeline: streams, assignments, scores, latency, fronts, report."""
    paths.set_defaults()
    with told(debug):
        chosen = paths.new_run_id() if run_id is None else paths.check_run_id(run_id)
        configuration = _resolve(preset, config, set_ or [], trace or [])
        place = paths.Paths(warehouse if warehouse is not None else paths.warehouse())
        place.probe()
        print(f"Run {chosen}: {_described(configuration)}, into {place.warehouse}", flush=True)
        _run(configuration, place, chosen)


def _resolve(
    preset: str | None, config: Path | None, sets: list[str], traces: list[Path]
) -> RunConfig:
    """Import late, so that help and wrong options answer at once."""
    from pipeline.resolve import resolve

    return resolve(preset, config, sets, traces)


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
    console.print(render(runner.summary(ctx), console))
    print(f"\nRun {run_id} is published in {place.warehouse}")
    print(f"Report: {ctx.paths.report(run_id)}")
    print(f"MLflow: {os.environ['MLFLOW_TRACKING_URI']}")


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="SQL on the tables' rows of published runs.")],
    style: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="table (default), csv or json.")
    ] = "table",
    warehouse: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder of the tables. Default: GROUPSCALE_WAREHOUSE, or warehouse."
        ),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Ask the tables in SQL, without Spark; see docs/data-dictionary.md for their columns."""
    from pipeline import sql as answers

    with told(debug):
        answers.check_format(style)
        place = paths.Paths(warehouse if warehouse is not None else paths.warehouse())
        found = answers.answer(query, place)
        if style == answers.TABLE:
            Console().print(answers.table(found))
        else:
            print(answers.text(found, style))


@app.command()
def presets() -> None:
    """List the presets and their experiments."""
    from pipeline import listings

    Console().print(listings.presets())


@app.command()
def algorithms() -> None:
    """List the assignment algorithms."""
    from pipeline import listings

    Console().print(listings.algorithms())


if __name__ == "__main__":
    main()
