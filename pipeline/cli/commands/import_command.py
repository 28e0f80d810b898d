"""``groupscale import``."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pipeline.base.errors import InputError
from pipeline.base.process.output import answered
from pipeline.base.text.printable import printable
from pipeline.cli.commands import prometheus_options
from pipeline.cli.commands.options import Debug
from pipeline.cli.exits import reporting_errors

if TYPE_CHECKING:
    from pipeline.cli.survey import Asked, Survey
    from pipeline.cli.survey.seen_group import SeenGroup


def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="Recorded rates or offsets: CSV, Parquet, JSON of Prometheus, CSV of Grafana, or "
            "snapshots of Kafka's tools; or prometheus:URL."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the trace to this file, as long CSV; from Prometheus into .json, as its "
            "answers.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file of --output if it exists.")
    ] = False,
    message_size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Mean size of a message, such as 800 or 1.2kB: turns messages/s into bytes/s.",
        ),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="What the file holds: rates or offsets \\[default: recognized by names and "
            "values]",
        ),
    ] = None,
    timestamps: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT",
            help="Unit of timestamps that are numbers: s, ms, us or ns \\[default: recognized by "
            "their size]",
        ),
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Planned maximum load of one consumer, such as 2MB or 750k/s "
            "\\[default: the highest partition rate, rounded up]",
        ),
    ] = None,
    consumer_capacity: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Maximum throughput of one consumer \\[default: 1.33 × --capacity]",
        ),
    ] = None,
    iteration_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Length of an iteration, s \\[default: the median step of the file]",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    group: prometheus_options.Group = None,
    topic: prometheus_options.Topics = None,
    since: prometheus_options.Since = None,
    until: prometheus_options.Until = None,
    step: prometheus_options.Step = None,
    metric: prometheus_options.Metric = None,
    label: prometheus_options.Labels = None,
    prometheus_auth: prometheus_options.Auth = None,
    ca: prometheus_options.Ca = None,
    tenant: prometheus_options.Tenant = None,
    debug: Debug = False,
) -> None:
    """Recognize, validate and summarize recorded rates, and convert them for other commands."""
    with reporting_errors(debug), answered():
        from pipeline.cli.survey import Asked, survey, survey_options
        from pipeline.inputs.traces import reading

        asked = Asked(
            survey_options.rate("--capacity", capacity),
            survey_options.rate("--consumer-capacity", consumer_capacity),
            iteration_seconds,
        )
        size = survey_options.message_size(message_size)
        read = reading.of_options(values, timestamps)
        series = prometheus_options.Asked(
            group, topic, since, until, step, metric, label, prometheus_auth, ca, tenant
        )
        address = prometheus_options.address(file)
        if address is not None:
            _fetch(address, series, output, force, (size, *read), asked, as_json)
            return
        series.refuse()
        if output is not None:
            _convert(file, output, force, (size, *read), asked, as_json)
        elif size is not None:
            raise InputError("--message-size changes the trace; add --output FILE to write it")
        else:
            _show(survey(file, dataclasses.replace(asked, reading=read)), as_json)


def _fetch(
    address: str,
    series: prometheus_options.Asked,
    output: Path | None,
    force: bool,
    reading: tuple[float | None, str | None, str | None],
    asked: Asked,
    as_json: bool,
) -> None:
    """Import from a Prometheus into a file, and print its survey and what is seen of the group."""
    from pipeline.cli import whole_files
    from pipeline.cli.survey import seen_group, survey
    from pipeline.inputs import traces
    from pipeline.inputs.prometheus import stored_pages
    from pipeline.inputs.traces import trace_writer
    from pipeline.inputs.traces.reading import Reading

    if output is None:
        raise InputError("an import from Prometheus needs --output FILE")
    keeps = output.suffix == ".json"
    if keeps and reading[0] is not None:
        raise InputError("--message-size needs another --output than .json, which keeps offsets")
    with whole_files.written(output, force) as place:
        answers = place if keeps else place.with_suffix(".json")
        imported = series.write(address, output, answers)
        try:
            trace = traces.load(answers, *reading)
        except InputError as error:
            # The file is gone when this is read.
            raise InputError(str(error).replace(str(answers), address)) from error
        if not keeps:
            with place.open("w", encoding="utf-8", newline="") as out:
                trace_writer.write(trace, out)
        else:
            asked = dataclasses.replace(asked, reading=Reading(*reading[1:]))
        summary = survey(place, asked, trace, output)
    stored_pages.remove(output)
    notes = tuple(dict.fromkeys((*summary.notes, *imported.notes)))
    summary = dataclasses.replace(summary, notes=notes)
    seen = None if imported.group is None else seen_group.of(imported.group)
    _show(summary, as_json, output, seen)


def _convert(
    file: Path,
    output: Path,
    force: bool,
    reading: tuple[float | None, str | None, str | None],
    asked: Asked,
    as_json: bool,
) -> None:
    """Write the trace of a file, and print its survey."""
    from pipeline.cli import whole_files
    from pipeline.cli.survey import survey
    from pipeline.inputs import traces
    from pipeline.inputs.traces import trace_writer

    with whole_files.written(output, force) as place:
        trace = traces.load(file, *reading)
        with place.open("w", encoding="utf-8", newline="") as out:
            trace_writer.write(trace, out)
        # The survey checks what a run would refuse, before the file is there.
        summary = survey(place, asked, trace, output)
    _show(summary, as_json, output)


def _show(
    summary: Survey, as_json: bool, output: Path | None = None, seen: SeenGroup | None = None
) -> None:
    from pipeline.cli.survey import seen_group, survey_text

    if as_json:
        group = {} if seen is None else {"group": seen._asdict()}
        content = dataclasses.asdict(summary) | group
        print(json.dumps(content, indent=1, ensure_ascii=False))
        return
    # Not through the console, which would break the lines.
    print(printable(survey_text.recognized(summary)))
    if output is not None:
        print(f"Written to {printable(str(output))}")
    print()
    if seen is not None:
        print("\n".join(map(printable, seen_group.lines(seen))), end="\n\n")
    console = Console(highlight=False, markup=False, emoji=False)
    for part in survey_text.lines(summary):
        console.print(part)
    print(f"  {printable(summary.command)}")
    own = "" if seen is None else seen_group.recommendation(str(output), seen)
    if own:
        print("To choose the number of consumers by the rate that was measured:")
        print(f"  {printable(own)}")
    elif summary.recommend:
        print("To choose the number of consumers for a latency objective (set your own):")
        print(f"  {printable(summary.recommend)}")
