"""Writes the documentation page with the benchmark's tables from its file of results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.bench import (
    event_speed,
    kernel_summary,
    learning_speed,
    simulation_speed,
    start_up_gains,
)

LIMITS = {
    "smoke": "40 s",
    "paper": "75 s",
    "paper through Airflow": "120 s",
    "trace, 10,000 partitions": "180 s",
    "nightly": "720 s",
    "workloads, 1,000": "900 s",
}
"""Maximum time of each case on such a machine."""

SERVICE_LIMITS = {"smoke": 120.0, "paper": 240.0}
"""Maximum seconds of a run under `make up`, by preset."""

NIGHTLY_RATIO, SERVICES_GIB = 1.25, 8
"""Preset nightly under `make up`: times the seconds of the command line. Memory of all services."""

HEAD = """# Benchmarks

`make bench` and `make bench-services` measure, and `make bench-page` writes this page from
`build/bench.json`. Times on a shared machine drift by a fifth within minutes and by four fifths
within hours, so compare ratios and exponents.
"""

_SPEED_GOAL = 5.0
"""Million step-partitions per second of a simulation."""

_EVENT_GOAL = 3.0
"""The same of a simulation with an event."""


def text(results: Mapping[str, Any]) -> str:
    """Markdown of all benchmarks. Raises KeyError if one has not been run."""
    machine = results["measured"]
    where = (
        f"Measured on {machine['date']}: {machine['cores']} cores ({machine['processor']}), "
        f"{machine['memory_gib']:.0f} GiB, Python {machine['python']}, one run of each case."
    )
    parts = [
        HEAD,
        where,
        "",
        *_runs(results),
        "",
        *_services(results),
        "",
        *_gains(results),
        "",
        *_kernels(results),
        "",
        *_simulations(results),
        "",
        *_events(results),
        "",
        *_learning(results),
    ]
    return "\n".join(parts) + "\n"


def write(file: Path, page: Path) -> None:
    """Write the page from the file of results."""
    page.write_text(text(json.loads(file.read_text())))


def _runs(results: Mapping[str, Any]) -> Iterable[str]:
    yield "## Whole runs"
    yield ""
    yield "JVM start included; memory is that of all processes together."
    yield ""
    rows = [
        (row["case"], f"{row['seconds']:.0f} s", LIMITS.get(row["case"], ""), _gib(row["peak_mib"]))
        for row in results["end_to_end"]
    ]
    yield from _table(("case", "time", "goal", "peak memory"), rows)
    query = results["query"]
    yield ""
    yield (
        f"Scores of one run among {query['runs']} of {query['streams']:,} streams, by δ and "
        f"algorithm, queried without Spark: {query['seconds']:.2f} s (goal: 1 s)."
    )


def _services(results: Mapping[str, Any]) -> Iterable[str]:
    yield "## Under make up"
    yield ""
    yield (
        "DAG `benchmark` on warm services, from queueing to its end (`make bench-services`). "
        f"Memory is that of all services together (goal: {SERVICES_GIB} GiB). The last column is "
        "the time that is no work of a stage or check: scheduling, starting a process, and imports."
    )
    yield ""
    alone = {row["case"]: row["seconds"] for row in results["end_to_end"]}
    rows = [
        (
            row["preset"],
            f"{row['seconds']:.0f} s",
            f"{_goal(row['preset'], alone):.0f} s",
            f"{alone[row['preset']]:.0f} s",
            _gib(row["peak_mib"]),
            str(row["tasks"]),
            f"{(row['seconds'] - row['work_seconds']) / row['tasks']:.1f} s",
        )
        for row in results["services"]
    ]
    head = ("preset", "time", "goal", "command line", "peak memory", "tasks", "Airflow, per task")
    yield from _table(head, rows)


def _goal(preset: str, alone: Mapping[str, float]) -> float:
    return SERVICE_LIMITS.get(preset) or NIGHTLY_RATIO * alone[preset]


def _gains(results: Mapping[str, Any]) -> Iterable[str]:
    yield "## Starting faster"
    yield ""
    yield (
        f"Preset `smoke` without each means of starting faster, median of {start_up_gains.ROUNDS} "
        "runs. See `pipeline/warehouse/spark/internals.py` and `jvm.py`."
    )
    yield ""
    rows = [start_up_gains.StartUpGain(**row) for row in results["start_up_gains"]]
    full = next(row.seconds for row in rows if row.means == start_up_gains.ALL_ON)
    lines = [
        (row.means, f"{row.seconds:.1f} s", f"{row.seconds - full:.1f} s")
        for row in rows
        if row.means != start_up_gains.ALL_ON
    ]
    yield f"With all of them: {full:.1f} s."
    yield ""
    yield from _table(("without", "time", "gain"), lines)


def _gib(mib: float) -> str:
    return f"{mib / 1024:.1f} GiB"


def _kernels(results: Mapping[str, Any]) -> Iterable[str]:
    yield "## Algorithms"
    yield ""
    yield (
        "Microseconds per assignment on one core, sorting and Rscore included, and the exponent of "
        "growth from 1,000 to 100,000 partitions."
    )
    yield ""
    rows = [kernel_summary.KernelTime(**row) for row in results["kernels"]]
    sizes = sorted({row.partitions for row in rows})
    cells = {(row.algorithm, row.partitions): _cell(row) for row in rows}
    lines = [
        (name, *(cells[name, size] for size in sizes), f"{power:.2f}")
        for name, power in results["exponents"].items()
    ]
    yield from _table(("algorithm", *(f"P = {size:,}" for size in sizes), "exponent"), lines)


def _simulations(results: Mapping[str, Any]) -> Iterable[str]:
    yield "## Simulations of a consumer group"
    yield ""
    yield (
        "Milliseconds per simulation of two hours in steps of 1 s on one core, by partitions and "
        "arrivals. Speed is in million step-partitions per second: 7,200 steps × 200 partitions, "
        f"divided by the time of the column before it (goal: {_SPEED_GOAL:g})."
    )
    yield ""
    rows = [simulation_speed.SimulationTime(**row) for row in results["simulations"]]
    cases = list(dict.fromkeys((row.partitions, row.arrivals) for row in rows))
    times = {(row.strategy, row.partitions, row.arrivals): row for row in rows}
    lines = [
        (
            strategy,
            *(f"{times[strategy, *case].milliseconds:,.1f}" for case in cases),
            f"{times[strategy, *cases[-1]].millions_per_s:.1f}",
        )
        for strategy in dict.fromkeys(row.strategy for row in rows)
    ]
    names = (f"P = {partitions}, {arrivals}" for partitions, arrivals in cases)
    yield from _table(("strategy", *names, "speed"), lines)
    last = {row.strategy: row for row in rows if (row.partitions, row.arrivals) == cases[-1]}
    slow = [name for name, row in last.items() if row.millions_per_s < _SPEED_GOAL]
    if slow:
        yield ""
        yield (
            f"Below the goal: {', '.join(slow)}. Their decisions, not the simulation, take that "
            "time; see [speed](autoscaling.md#speed)."
        )
    ratios = [row.plain_ratio for row in rows if row.plain_ratio]
    if ratios:
        yield ""
        yield (
            "The plain simulation of the tests, event by event in exact fractions, takes "
            f"{min(ratios):,.0f} to {max(ratios):,.0f} times as long."
        )


def _events(results: Mapping[str, Any]) -> Iterable[str]:
    yield "## Simulations with events"
    yield ""
    yield (
        "Million step-partitions per second of the same simulations with 200 partitions, "
        f"{event_speed.ARRIVALS} arrivals and one event each (goal: {_EVENT_GOAL:g})."
    )
    yield ""
    rows = [event_speed.EventTime(**row) for row in results["event_simulations"]]
    speeds = {(row.strategy, row.event): row.millions_per_s for row in rows}
    strategies = list(dict.fromkeys(row.strategy for row in rows))
    lines = [
        (event, *(f"{speeds[strategy, event]:.1f}" for strategy in strategies))
        for event in dict.fromkeys(row.event for row in rows)
    ]
    yield from _table(("event", *strategies), lines)


def _learning(results: Mapping[str, Any]) -> Iterable[str]:
    row = learning_speed.LearningTime(**results["learning"])
    yield "## Learning"
    yield ""
    yield (
        f"{learning_speed.CLUSTERS:,} environments at once, resets included: "
        f"{row.steps_per_s / 1e6:.1f} million steps/s on one core "
        f"(goal: {learning_speed.STEPS_GOAL / 1e6:.0f}). The paper's "
        f"trainings, {learning_speed.SEEDS} seeds of both agents with 450 decisions each: "
        f"{row.training_s:.0f} s (goal: {learning_speed.TRAINING_GOAL:.0f} s)."
    )


def _cell(row: kernel_summary.KernelTime) -> str:
    ours = row.us_per_assignment
    return f"{ours:,.1f}" if ours < 100 else f"{ours:,.0f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'---:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
