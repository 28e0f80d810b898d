"""``groupscale confirm``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.process.output import answered
from pipeline.cli.commands.options import (
    Debug,
    JsonFormat,
    Partitions,
    Split,
    Timestamps,
    Values,
)
from pipeline.cli.exits import MOVED, reporting_errors

if TYPE_CHECKING:
    from pipeline.experiments.autoscaling.confirmation.confirm import Confirmation
    from pipeline.experiments.autoscaling.confirmation.observed_samples import Samples
    from pipeline.experiments.autoscaling.confirmation.promise import Promise
    from pipeline.experiments.autoscaling.workloads.workload import Workload

NAMES = ("confirmation.json", "confirmation.svg")


def confirm(
    recommendation: Annotated[
        Path,
        typer.Option(metavar="FILE", help="recommendation.json that recommend has written."),
    ],
    from_: Annotated[
        Path,
        typer.Option("--from", metavar="FILE", help="Recording since then: rates, or snapshots."),
    ],
    replicas: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Replicas since then: CSV with time and replicas, or Prometheus' answer "
            "\\[default: members of the snapshots in --from]",
        ),
    ] = None,
    late: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Late events since then: CSV with time and late_percent, or Prometheus' answer "
            "with shares from 0 to 1 \\[default: not measured]",
        ),
    ] = None,
    partitions: Partitions = None,
    split: Split = None,
    values: Values = None,
    timestamps: Timestamps = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write figures and picture to this folder."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw both over the load, to an SVG or PNG file."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of an earlier confirmation.")
    ] = False,
    as_json: JsonFormat = False,
    debug: Debug = False,
) -> None:
    """Compare what a recommendation predicted with what happened. See docs/recommend.md."""
    paths.set_defaults()
    with reporting_errors(debug), answered():
        from pipeline.cli import whole_files
        from pipeline.experiments.autoscaling.confirmation import (
            confirmation_figure,
            confirmation_text,
            observed_samples,
        )
        from pipeline.experiments.autoscaling.confirmation.confirm import confirm as confirmed
        from pipeline.experiments.autoscaling.confirmation.observed_samples import LATE
        from pipeline.experiments.autoscaling.confirmation.promise import read
        from pipeline.experiments.autoscaling.simulation import plot_file

        if output is not None:
            whole_files.check_folder(output, NAMES, force)
        if plot is not None:
            plot_file.check(plot, 1)
        promise = read(recommendation)
        load = _workload(promise, from_, partitions, split, (values, timestamps))
        shares = None if late is None else observed_samples.read(late, LATE, timestamps)
        done = confirmed(promise, load, _replicas(promise, load, replicas, timestamps), shares)
        record = json.dumps(
            confirmation_text.record(done), indent=1, ensure_ascii=False, allow_nan=False
        )
        if as_json:
            print(record)
        else:
            _print(done)
        if plot is not None or output is not None:
            picture = confirmation_figure.figure(done, load.unit).standalone()
            if plot is not None:
                plot_file.write(plot, picture)
            if output is not None:
                texts = (f"{record}\n", picture.decode("utf-8"))
                whole_files.write_all(output, dict(zip(NAMES, texts, strict=True)), NAMES)
    if not done.is_kept:
        raise typer.Exit(MOVED)


def _workload(
    promise: Promise,
    source: Path,
    partitions: int | None,
    split: str | None,
    said: tuple[str | None, str | None],
) -> Workload:
    from pipeline.experiments.autoscaling.workloads import (
        recorded_workloads,
        workload,
        workload_source,
    )
    from pipeline.inputs.traces import reading

    how = workload_source.split_of(split)
    count = len(how.weights) if partitions is None and how.weights is not None else partitions
    recorded = recorded_workloads.load(
        source, partitions=count, split=how, reading=reading.of_options(*said)
    )
    arrivals = promise.record["asked"]["settings"].get("arrivals", "uniform")
    return workload.cut(recorded, arrivals)


def _replicas(
    promise: Promise, load: Workload, path: Path | None, timestamps: str | None
) -> Samples:
    """What was observed, in members, as the answer counts."""
    from pipeline.experiments.autoscaling.confirmation import observed_samples

    if path is not None:
        pods = observed_samples.read(path, observed_samples.REPLICAS, timestamps)
        return pods._replace(values=pods.values * promise.members_per_replica)
    if load.group is None:
        raise InputError(
            "--replicas must be given (got none): --from has rates and no members; add a CSV file "
            "with columns time and replicas, or Prometheus' answer to "
            "kube_deployment_status_replicas"
        )
    return observed_samples.members(load.group)


def _print(done: Confirmation) -> None:
    from rich.console import Console

    from pipeline.base.text.plain_table import plain_table
    from pipeline.base.text.printable import printable
    from pipeline.experiments.autoscaling.confirmation import confirmation_text

    console = Console(highlight=False, markup=False, emoji=False, width=80)
    table = plain_table()
    table.add_column("assumption")
    for head in ("then", "now", "moved"):
        table.add_column(head, justify="right")
    for row in confirmation_text.rows(done):
        table.add_row(*row)
    print(printable(confirmation_text.verdict(done)))
    console.print(table)
    print(printable(confirmation_text.again(done)))
