"""Drawing elements of the figures of latency against consumers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.sections.figures import algorithm_style
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import Panel
from pipeline.reporting.sections import numbers

Crosses = Mapping[str, tuple[float, float]]
"""Published consumers and value of some algorithms."""


class Measure(NamedTuple):
    """A measure drawn against consumers."""

    column: str
    """Column of `studies.summarise`."""
    label: str
    floor: float
    tick: Callable[[float], str]
    value: Callable[[float], str]
    published: Callable[[published.LatencyRow], float]
    """The published value of an algorithm, None where there is none."""
    factor: float = 1.0
    """Factor from the column to the numbers of a linear axis."""


P90 = Measure(
    "p90",
    "90th percentile of latencies above 0, s",
    1e-2,
    "{:,g}".format,
    numbers.seconds,
    lambda row: row.p90.high,
)
SHARE = Measure(
    "share",
    "share of samples with a latency above 0",
    1e-6,
    lambda value: f"{100 * value:g} %",
    lambda value: numbers.percent(value, 2),
    lambda row: row.n_positive.value / published.N_SAMPLES,
    100.0,
)


def points(panel: Panel, rows: pd.DataFrame, measure: Measure, factor: float = 1.0) -> None:
    """Draw algorithms with their bars; ``factor`` converts to the numbers of the vertical axis."""
    for row in rows.to_dict("records"):
        look, column = algorithm_style.look(row["algorithm"]), measure.column
        low, high = factor * row[f"{column}_low"], factor * row[f"{column}_high"]
        if low < high:
            panel.error_bar(row["mean_consumers"], low, high, look.bar)
        place = panel.at(row["mean_consumers"], factor * row[column])
        panel.add(svg.marker(look.mark, *place, look.point, tip(row, measure)))


def published_points(panel: Panel, crosses: Crosses, measure: Measure, factor: float = 1.0) -> None:
    """Draw published values as crosses."""
    for name, (x, y) in crosses.items():
        tooltip = f"{name}, published: {measure.value(y)}"
        panel.add(svg.marker("cross", *panel.at(x, factor * y), "published", tooltip))


def tip(row: Mapping[str, Any], measure: Measure) -> str:
    """An algorithm's numbers in words."""
    value = float(row[measure.column])
    return f"{row['algorithm']}: {row['mean_consumers']:.3g} consumers, {measure.value(value)}"
