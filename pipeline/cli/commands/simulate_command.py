"""``groupscale simulate``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base import paths
from pipeline.base.process.output import answered
from pipeline.base.text.printable import printable
from pipeline.cli.commands import completion
from pipeline.cli.commands.event_options import Event
from pipeline.cli.commands.options import (
    Commits,
    Debug,
    JsonFormat,
    Partitions,
    Retention,
    SharedLimit,
    Split,
    TableFormat,
    Timestamps,
    Values,
    Workload,
    format_of,
)
from pipeline.cli.exits import reporting_errors

if TYPE_CHECKING:
    from algorithms.autoscaling.candidates import Candidate


def simulate(
    workload: Workload,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            autocompletion=completion.strategies,
            help="Strategy, as NAME, NAME:PARAMETER=VALUE:… or NAME:sweep. Repeatable, or a list "
            "separated by commas \\[default: common strategies]",
        ),
    ] = None,
    partitions: Partitions = None,
    split: Split = None,
    values: Values = None,
    timestamps: Timestamps = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            autocompletion=completion.group_keys,
            help="Setting of the group or the workload, such as mu=500. Repeatable.",
        ),
    ] = None,
    commits: Commits = None,
    shared_limit: SharedLimit = None,
    event: Event = None,
    retention: Retention = None,
    style: TableFormat = None,
    as_json: JsonFormat = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw rate, replicas, lag and late events over time to an SVG or PNG file.",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Simulate autoscaling strategies on a workload, without Spark. See docs/simulate.md."""
    paths.set_defaults()
    with reporting_errors(debug), answered():
        from pipeline.cli import simulation_answer
        from pipeline.experiments.autoscaling.simulation import (
            candidate_runs,
            declared_events,
            plot_file,
            simulation_plot,
            simulation_settings,
        )
        from pipeline.experiments.autoscaling.workloads import workload_source
        from pipeline.inputs.traces import reading

        form = format_of(style, as_json) or simulation_answer.TABLE
        simulation_answer.check(form)
        events = declared_events.of_options(event or [], retention)
        settings = simulation_settings.with_options(
            simulation_settings.from_options(set_ or []), commits, shared_limit
        )
        group = simulation_settings.check_alone(settings.group)
        how = workload_source.split_of(split)
        said = reading.of_options(values, timestamps)
        load = workload_source.load(workload, partitions, how, settings.workload, group, said)
        stepped = replace(group, step_s=load.step_s)
        incidents = declared_events.placed(events, load, group.seed)
        compared = candidate_runs.parse(strategy or [], load.rates.shape[1], stepped)
        if plot is not None:
            plot_file.check(plot, len(compared))
        with _status() as show:
            runs = candidate_runs.run(load, compared, settings.group, show, incidents)
        if plot is not None:
            plot_file.write(plot, simulation_plot.draw(load, runs))
        simulation_answer.write(load, runs, form, incidents)


@contextmanager
def _status() -> Iterator[Callable[[Candidate], object]]:
    """Show the strategy that is simulated, in a terminal: its first simulation compiles it."""
    if not sys.stderr.isatty():
        yield lambda candidate: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status("") as status:
        yield lambda candidate: status.update(Text(f"Simulating {printable(candidate.label)}"))
