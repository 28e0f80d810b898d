"""Figures of simulations as a table for people, or as JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from algorithms.simulation.incident_times import Incident
from pipeline.base.errors import InputError
from pipeline.base.text.fitted_table import Column, Fitted, dropped_line, fitted
from pipeline.base.text.printable import printable
from pipeline.cli import event_lines
from pipeline.experiments.autoscaling.simulation.candidate_runs import CandidateRun
from pipeline.experiments.autoscaling.workloads import workload_notes
from pipeline.experiments.autoscaling.workloads.workload_source import Topic, Workload
from pipeline.inputs.traces import hot_partitions
from pipeline.reporting.sections import numbers

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

TABLE, JSON = FORMATS = ("table", "json")

_COLUMNS = (
    Column("SLA,\n%", 1),
    Column("latency\nmean, s", 5),
    Column("\np99, s", 3),
    Column("\nmax, s", 6),
    Column("replica-\nminutes", 2),
    Column("actions\n+/-/=", 8),
    Column("\nmoved", 7),
    Column("peak\nlag", 4),
)
_MOST_TOPICS = 5

_SHOWN = ("mu", "wsla_s", "arrivals", "protocol", "rebalance_s", "heartbeat_s", "startup_s")
"""Settings of the group that are printed above the table."""


def check(style: str) -> None:
    """Raise `InputError` unless it is one of `FORMATS`."""
    if style not in FORMATS:
        raise InputError(f"--format must be one of {', '.join(FORMATS)} (got {style!r})")


def write(
    workload: Workload,
    runs: Sequence[CandidateRun],
    style: str,
    incidents: Sequence[Incident] = (),
) -> None:
    """Print the figures in one of `FORMATS`."""
    if style == JSON:
        print(json_text(workload, runs, incidents))
        return
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(highlight=False, markup=False, emoji=False)
    width = console.width if console.is_terminal else None
    fit = _table(runs, width)
    table = fit.table
    if not console.is_terminal:
        # A pipe or a file has room for every name in one line.
        free = console.options.update(max_width=100_000)
        console.width = max(console.width, Measurement.get(console, free, table).maximum)
    above = (_heading(workload, runs), *_said(workload), *_hot(workload, runs))
    dropped = dropped_line(fit.dropped)
    for part in (*above, "", table, "", *([dropped] if dropped else []), *_notes(workload, runs)):
        console.print(part)
    for part in event_lines.parts(workload, runs, incidents, width):
        console.print(part)


def json_text(
    workload: Workload, runs: Sequence[CandidateRun], incidents: Sequence[Incident] = ()
) -> str:
    """All figures as JSON; infinity, which JSON lacks, is the text ``Infinity``."""
    content = {
        "workload": _facts(workload),
        "strategies": [_entry(run, incidents) for run in runs],
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)


def _facts(workload: Workload) -> dict[str, Any]:
    totals = workload.rates.sum(axis=1)
    steps, partitions = workload.rates.shape
    topics = workload.topics or (Topic("", partitions),)
    return {
        "name": workload.name,
        "digest": workload.digest,
        "form": workload.form,
        "started_at": workload_notes.moment(workload.started_at),
        "unit": workload.unit,
        "steps": steps,
        "step_s": workload.step_s,
        "averaged_s": workload.averaged_s or workload.step_s,
        "partitions": partitions,
        "topics": [{"name": topic.name, "partitions": topic.partitions} for topic in topics],
        "least_rate": float(totals.min()),
        "mean_rate": float(totals.mean()),
        "greatest_rate": float(totals.max()),
        "notes": list(workload.notes),
    }


def _entry(run: CandidateRun, incidents: Sequence[Incident]) -> dict[str, Any]:
    figures = run.detailed.result._asdict()
    del figures["replicas"]
    return {
        "strategy": run.candidate.strategy,
        "parameters": dict(run.candidate.parameters),
        "settings": asdict(run.settings),
        **{name: "Infinity" if value == math.inf else value for name, value in figures.items()},
        **event_lines.record(run, incidents),
    }


def _heading(workload: Workload, runs: Sequence[CandidateRun]) -> Table:
    """What was simulated."""
    from rich.table import Table
    from rich.text import Text

    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(no_wrap=True)
    facts.add_column(overflow="fold")
    facts.add_row("workload", Text(printable(_workload(_facts(workload)))))
    if any(topic.name for topic in workload.topics):
        facts.add_row("topics", Text(printable(_topics(workload.topics))))
    if workload.form:
        facts.add_row("form", Text(printable(workload.form)))
    facts.add_row("group", Text(printable(_group(runs))))
    return facts


def _topics(topics: Sequence[Topic]) -> str:
    listed = ", ".join(f"{topic.name} ({topic.partitions:,})" for topic in topics[:_MOST_TOPICS])
    more = len(topics) - _MOST_TOPICS
    return f"{listed} and {more:,} more" if more > 0 else listed


def _workload(facts: dict[str, Any]) -> str:
    length = numbers.duration(facts["steps"] * facts["step_s"])
    start = f" from {facts['started_at']}" if facts["started_at"] else ""
    whole = facts["averaged_s"]
    means = f", means of {whole:g} s" if whole > facts["step_s"] else ""
    p, steps = facts["partitions"], facts["steps"]
    least, mean, greatest = (
        numbers.plain(facts[f"{name}_rate"], 4) for name in ("least", "mean", "greatest")
    )
    return (
        f"{facts['name']}: {steps:,} step{'s' * (steps != 1)} of {facts['step_s']:g} s "
        f"({length}{start}), "
        f"{p:,} partition{'s' * (p != 1)}, {least} to {greatest} {facts['unit']}, mean {mean}"
        f"{means}"
    )


def _group(runs: Sequence[CandidateRun]) -> str:
    """The settings that matter most, where all groups have the same."""
    first = asdict(runs[0].settings)
    others = [asdict(run.settings) for run in runs[1:]]
    shared = (key for key in _SHOWN if all(other[key] == first[key] for other in others))
    return ", ".join(f"{key}={first[key]}" for key in shared)


def _said(workload: Workload) -> Iterator[Text]:
    """Notes on how the rates were made."""
    from rich.text import Text

    for line in workload_notes.of(workload):
        yield Text(printable(f"Note: {line}"))


def _hot(workload: Workload, runs: Sequence[CandidateRun]) -> Iterator[Text]:
    """Hot partitions of a recording; consumers of all strategies are equally fast."""
    from rich.text import Text

    mu = runs[0].settings.mu
    many = hot_partitions.count(hot_partitions.peak_rates(workload.rates), mu)
    words = hot_partitions.sentence(workload.fastest, mu, "mu", many)
    if words:
        yield Text(printable(words))


def _table(runs: Sequence[CandidateRun], width: int | None) -> Fitted:
    rows = [(printable(run.candidate.label), tuple(_cells(run))) for run in runs]
    return fitted("\nstrategy", _COLUMNS, rows, width)


def _cells(run: CandidateRun) -> Iterator[str]:
    result = run.detailed.result
    yield numbers.MISSING if result.sla_percent is None else numbers.fixed(result.sla_percent, 3)
    for latency in (result.mean, result.p99, result.max):
        yield numbers.MISSING if latency is None else numbers.latency(latency)
    yield numbers.plain(result.replica_minutes, 4)
    yield f"{result.n_up:,}/{result.n_down:,}/{result.n_reassign:,}"
    yield f"{result.partitions_moved:,}"
    yield _events(result.peak_lag)


def _events(count: float) -> str:
    """A number of events; millions in three digits, so that the table fits a terminal."""
    return numbers.count(count) if count < 1e6 else f"{numbers.plain(count / 1e6)}M"


def _notes(workload: Workload, runs: Sequence[CandidateRun]) -> Iterator[str]:
    counted = workload.counted
    yield (
        f"SLA: {counted} with a latency of at most wsla_s. Actions: with more, fewer, as many "
        "replicas."
    )
    yield (
        f"Moved: partitions that went to another consumer. Peak lag: {counted} that waited at once."
    )
    yield "Latency max is also the lag in seconds at its peak: the age of the oldest unread event."
    if any(run.detailed.result.max == math.inf for run in runs):
        limit_s = runs[0].settings.drain_limit_s
        yield f"∞: {counted} were still waiting {limit_s:g} s after the last step."
    if any(run.detailed.result.sla_percent is None for run in runs):
        yield f"{numbers.MISSING}: the workload has no {counted}."
