"""The page docs/ways-table.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from algorithms.inference.intervals import mean_interval
from tools.bench.ways.kept_savings import (
    HOLDS,
    IDEAL,
    MARGINS,
    MU,
    PARTITIONS,
    PERCENT,
    WAYS,
    Costs,
)

_HEAD = """# What each way of deploying keeps

`make bench-ways` wrote this page. {workloads} generated workloads of six hours, which no default
was set on, have {partitions} partitions; a replica serves {mu:g} events/s. Of each kind, the
cheapest candidate that keeps the objective counts, with `h` of {margins} and `hold` of {holds} s;
for a way of deploying, in the worst of three phases of its sync.

- **kept**: share of the saving of `{ideal}`, decided each second, against the smallest constant
  group that keeps the objective. It is the mean over the workloads on which `{ideal}` saves
  anything, with its 95 % interval.
"""


def page(rows: Sequence[Costs]) -> str:
    """The page as Markdown."""
    head = _HEAD.format(
        workloads=len({row.workload for row in rows}),
        partitions=PARTITIONS,
        mu=MU,
        margins=_listed(MARGINS),
        holds=_listed(HOLDS),
        ideal=IDEAL,
    )
    latencies = dict.fromkeys(row.latency_s for row in rows)
    parts = [_part([row for row in rows if row.latency_s == each]) for each in latencies]
    return "\n".join([head, *parts])


def _part(rows: Sequence[Costs]) -> str:
    return "\n".join(
        [
            f"## {PERCENT:g} % within {rows[0].latency_s:g} s",
            "",
            *_means(rows),
            "",
            *_each(rows),
            "",
        ]
    )


def _means(rows: Sequence[Costs]) -> Iterator[str]:
    yield "| way | kept | workloads |"
    yield "|---|---:|---:|"
    for way in WAYS:
        shares = [row.kept[way] for row in rows if row.kept]
        if shares:
            mean, low, high = (100.0 * value for value in mean_interval(shares)[:3])
            yield f"| `{way}` | {mean:.0f} % ({low:.0f} to {high:.0f}) | {len(shares)} |"


def _each(rows: Sequence[Costs]) -> Iterator[str]:
    kinds = ("constant", f"`{IDEAL}`", *(f"`{way}`" for way in WAYS))
    yield f"| mean replicas | {' | '.join(kinds)} |"
    yield "|---" + "|---:" * len(kinds) + "|"
    for row in rows:
        values = (row.constant, row.ideal, *(row.ways[way] for way in WAYS))
        yield f"| {row.workload} | {' | '.join(map(_number, values))} |"


def _number(replicas: float) -> str:
    return f"{replicas:.2f}" if np.isfinite(replicas) else "none keeps it"


def _listed(values: Sequence[float]) -> str:
    *most, last = (f"{value:g}" for value in values)
    return f"{', '.join(most)} or {last}"
