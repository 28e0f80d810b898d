"""The 37 metrics on the page: how each is derived, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from live.broker_metrics.declared_metrics import (
    CONSUMED,
    COUNT,
    LEVEL,
    MEAN,
    NAMES,
    QUANTITIES,
    RATE,
    Quantity,
)
from tools.bench.brokers.curve_rows import CAPPED, CurveRow

_HOW = {
    COUNT: "brokers that answer",
    RATE: "increase per second, by broker",
    MEAN: "increase of sums over increase of numbers, all brokers",
    LEVEL: "level at the scrape, by broker",
    CONSUMED: "derived: records that the consumers read per second, by broker",
}


def lines(rows: Sequence[CurveRow]) -> Iterator[str]:
    """A table of all metrics: means of capped clusters under the greatest load, by size."""
    capped = [row for row in rows if row.curve == CAPPED]
    if not capped:
        return
    load = max(row.load for row in capped)
    sizes = sorted({row.brokers for row in capped})
    yield "## The 37 metrics"
    yield ""
    yield "Read every 5 s; *p95* is nearest rank over an interval. Values are means of capped"
    yield f"clusters at load {load:g}; `cpu` is in cores, times are in ms."
    yield ""
    yield f"| metric | of | {' | '.join(f'{n} brokers' for n in sizes)} |"
    yield f"|---|---|{'---:|' * len(sizes)}"
    names = iter(NAMES)
    for quantity in QUANTITIES:
        for name in (next(names) for _ in quantity.parts):
            place = NAMES.index(name)
            cells = [
                np.mean([r.metrics[place] for r in capped if (r.load, r.brokers) == (load, n)])
                for n in sizes
            ]
            yield f"| `{name}` | {_source(quantity)} | {' | '.join(f'{v:.4g}' for v in cells)} |"


def _source(quantity: Quantity) -> str:
    beans = dict.fromkeys(read.pattern.replace("*", "\\*") for read in quantity.reads)
    return f"{_HOW[quantity.how]}{': ' * bool(beans)}{', '.join(beans)}"
