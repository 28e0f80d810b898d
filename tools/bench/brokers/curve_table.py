"""The page docs/broker-curve-table.md, and the data that the family `learning` reads."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from algorithms.inference.intervals import mean_interval
from live.broker_metrics.declared_metrics import NAMES
from tools.bench.brokers import metrics_table
from tools.bench.brokers.broker_effect import NO_EFFECT, effect
from tools.bench.brokers.curve_rows import CAPPED, SHARED, UNIT_RATE, CurveRow, mean_of

KEEPS_UP = 0.9
"""Share of due records that must be read while a load counts as one that the brokers carry. Less
than all: in an interval of 15 s, output that pauses for a second at its end counts for 7 %."""

BUSY = 5.0
"""Load for each core from which the page warns."""

GOT = 0.8
"""Share of its quota: a broker that uses more got it, however many others wait for the machine. One
that uses less may be idle, or wait."""

_ROWS, _UNFORMATTED = "ROWS: Final", "# fmt: off"

_WAYS = ("end_to_end", "produce", "summed", "summed_busy")

_HEAD = """# Latency against brokers and load

`make bench-brokers` wrote this page, on a machine of {cores} cores. It measured {fewest} to {most}
brokers (repeats of each number: {repeats}). In one repeat brokers leave one after the other, in the
next they join. A cluster has a KRaft controller of its own. Each number of brokers gets a new topic
of 16 partitions with replication 3, 4 producers (`acks=all`) and 4 consumers, and records of 124
bytes; a load of 1 is {rate:,.0f} records/s. Brokers are scraped every 5 s; an interval has
{scrapes} times between scrapes, after 5 s that do not count. Loads follow each other, in the order
of this table.

- **{shared}**: all brokers share the cores, so that more of them have no more to compute with.
- **{capped}**: each broker has a quota of {quota:g} of a core (period 10 ms), which begins when it
  runs.

*End to end* is from due to read. *Produce* is the total time of produce requests; the paper's *sum*
adds that of consumers' fetch requests, *busy* without their wait for records (`RemoteTimeMs`). All
are means in ms; end to end has its 95 % interval by bootstrap over clusters. *Read* is the
mean share of due records that were read; below {keeps:.0%} brokers do not keep up, and latency
depends on how long it is measured: `not comparable`. *Cores* are used by each broker. The machine's
load is that of a minute: above its cores, clients and brokers wait for each other.
"""

_CELLS = (
    *("curve", "load", "brokers", "end to end", "produce", "sum", "busy", "read", "cores"),
    "machine's load",
)


def page(rows: Sequence[CurveRow], cores: int) -> str:
    """The page as Markdown. cores: Of the machine."""
    repeats = len({row.repeat for row in rows})
    capped = [row for row in rows if row.curve == CAPPED]
    head = _HEAD.format(
        fewest=min(row.brokers for row in rows),
        most=max(row.brokers for row in rows),
        repeats=repeats,
        cores=cores,
        rate=UNIT_RATE,
        scrapes=len(rows[0].latencies),
        shared=SHARED,
        capped=CAPPED,
        quota=max((row.cores for row in capped), default=0.0),
        keeps=KEEPS_UP,
    )
    head += _caveat(rows, cores)
    lines = [head, _row(*_CELLS), "|---" + "|---:" * (len(_CELLS) - 1) + "|"]
    lines += [_line(cell) for cell in cells(rows)]
    lines += ["", *_effects(rows, cores), "", *metrics_table.lines(rows), ""]
    return "\n".join(lines)


def _caveat(rows: Sequence[CurveRow], cores: int) -> str:
    """What a busy machine means for the page; empty if it was not."""
    load = _machine_load(rows)
    if load <= BUSY * cores:
        return ""
    least = min((_of_quota(row) for row in rows if row.curve == CAPPED), default=0.0)
    quotas = (
        f"Capped brokers still used at least {least:.0%} of their quotas."
        if least >= GOT
        else "Brokers did not always get their quotas: differences between numbers of brokers may\n"
        "be those of the machine."
    )
    return f"""
**The machine was busy**: its load was {load:.0f} on average, {load / cores:.0f} for each core, by
other programs too. Clients waited for a core, so levels are upper bounds.
{quotas}
"""


def _distorted(rows: Sequence[CurveRow], cores: int) -> bool:
    """Whether brokers may have waited for the machine rather than for their quotas."""
    if _machine_load(rows) <= BUSY * cores:
        return False
    return any(row.curve == SHARED or _of_quota(row) < GOT for row in rows)


def _of_quota(row: CurveRow) -> float:
    """Share of their quotas that capped brokers used on average."""
    return _cores_used(row) / row.cores


def _cores_used(row: CurveRow) -> float:
    return row.metrics[NAMES.index("cpu_mean")]


def _machine_load(rows: Sequence[CurveRow]) -> float:
    return sum(row.machine_load for row in rows) / len(rows)


def data(rows: Sequence[CurveRow], before: str) -> str:
    """Text of the module with measured latencies: its rows are replaced.

    Capped brokers alone, and rows that read what was due and lack no latency and none of the 37
    metrics; loads with such a row of each size. Without any it stays as it is.
    """
    sizes = {row.brokers for row in rows}
    capped = [
        row
        for row in rows
        if row.curve == CAPPED and row.read_share >= KEEPS_UP and _is_complete(row)
    ]
    carried = [
        row for row in capped if {one.brokers for one in capped if one.load == row.load} == sizes
    ]
    if not carried:
        return before
    ordered = sorted(carried, key=lambda row: (row.load, row.brokers, row.repeat))
    begin = before.index(next(start for start in (_UNFORMATTED, _ROWS) if start in before))
    # Formatted, each of the metrics would have a line of its own.
    lines = [_UNFORMATTED, f"{_ROWS}[tuple[MeasuredRow, ...]] = (", *map(_data_row, ordered), ")"]
    return before[:begin] + "\n".join([*lines, ""])


def _is_complete(row: CurveRow) -> bool:
    values = (*(each.end_to_end for each in row.latencies), *row.metrics)
    return all(map(math.isfinite, values))


def cells(rows: Sequence[CurveRow]) -> Iterator[list[CurveRow]]:
    """Rows of one curve, load and number of brokers at a time, in order."""
    keys = sorted({(row.curve != SHARED, row.load, row.brokers) for row in rows})
    for capped, load, brokers in keys:
        own = (capped, load, brokers)
        yield [row for row in rows if (row.curve != SHARED, row.load, row.brokers) == own]


def carries(rows: Sequence[CurveRow], curve: str, load: float) -> bool:
    """Whether each number of brokers of a curve reads a load on average."""
    own = [cell for cell in cells(rows) if (cell[0].curve, cell[0].load) == (curve, load)]
    return bool(own) and all(_read(cell) >= KEEPS_UP for cell in own)


def _read(cell: Sequence[CurveRow]) -> float:
    return sum(row.read_share for row in cell) / len(cell)


def _line(cell: Sequence[CurveRow]) -> str:
    one = cell[0]
    means = {way: [mean_of(row, way) for row in cell] for way in _WAYS}
    shown = [f"{np.nanmean(means[way]):.1f}" for way in _WAYS[1:]]
    cpu = np.mean([_cores_used(row) for row in cell])
    return _row(
        one.curve,
        f"{one.load:g}",
        str(one.brokers),
        _interval(means["end_to_end"]),
        *shown,
        f"{_read(cell):.1%}",
        f"{cpu:.3f}",
        f"{np.mean([row.machine_load for row in cell]):.1f}",
    )


def _interval(values: Sequence[float]) -> str:
    if len(values) < 2 or any(math.isnan(value) for value in values):
        return f"{np.mean(values):.1f}"
    mean, low, high = mean_interval(values)
    return f"{mean:.1f} ({low:.1f} to {high:.1f})"


def _effects(rows: Sequence[CurveRow], cores: int) -> Iterator[str]:
    yield "Change of latency for each further broker, with its 95 % interval (least squares on the"
    yield "logarithm, one value for each cluster and size, a level for each cluster):"
    yield ""
    yield _row("curve", "load", "end to end", "verdict")
    yield "|---|---:|---:|---|"
    for curve, load in sorted(
        {(row.curve, row.load) for row in rows}, key=lambda k: (k[0] != SHARED, k[1])
    ):
        own = [row for row in rows if (row.curve, row.load) == (curve, load)]
        if not carries(rows, curve, load):
            yield _row(curve, f"{load:g}", "", "not comparable")
        elif len(own) > 2 and len({row.brokers for row in own}) > 1:
            latencies = [mean_of(row, "end_to_end") for row in own]
            fit = effect([row.brokers for row in own], latencies, [row.repeat for row in own])
            words = f"{fit.change:+.1%} ({fit.low:+.1%} to {fit.high:+.1%})"
            distorted = fit.verdict != NO_EFFECT and _distorted(own, cores)
            verdict = "not comparable: the machine was busy" if distorted else fit.verdict
            yield _row(curve, f"{load:g}", words, verdict)


def _row(*words: str) -> str:
    return f"| {' | '.join(words)} |"


def _data_row(row: CurveRow) -> str:
    latencies = ", ".join(f"{each.end_to_end:.2f}" for each in row.latencies)
    metrics = textwrap.fill(
        ", ".join(f"{value:.6g}" for value in row.metrics),
        width=100,
        initial_indent=" " * 9,
        subsequent_indent=" " * 9,
    )
    head = f"    MeasuredRow({row.brokers}, {row.load:g}, {row.repeat}, ({latencies}),"
    return f"{head}\n        ({metrics.lstrip()})),"
