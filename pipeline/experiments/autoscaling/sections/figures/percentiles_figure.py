"""Percentiles of latency, for a few strategies of an experiment."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pipeline.experiments.autoscaling.sections import strategy_style
from pipeline.experiments.autoscaling.sections.scaling_study import Row, Study, shown
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

TITLE = "Latency by percentile"

PERCENTILES = {
    "p50": "50 %",
    "p90": "90 %",
    "p95": "95 %",
    "p99": "99 %",
    "p999": "99.9 %",
    "max": "max",
}
"""Columns of `simulations`, and the share of events that they cover."""


class Spread(NamedTuple):
    """Latencies of a strategy over replicates, s: an array per percentile, ascending."""

    row: Row
    values: list[np.ndarray]

    @property
    def medians(self) -> list[float]:
        """The middle value of each percentile, the lower one of two."""
        return [float(ordered[(len(ordered) - 1) // 2]) for ordered in self.values]


def percentiles(results: Results, study: Study, number: int) -> Figure | None:
    """Latency of the strategies shown, from the median to the maximum."""
    name = f"percentiles-{number}"
    spreads = [spread for row in shown(study) if (spread := _spread(results, study, row))]
    if not spreads:
        return None
    over = (
        f" Marks are medians over {study.streams}; bars span minimum and maximum."
        if study.replicates > 1
        else ""
    )
    caption = (
        f"Experiment {study.name}. Latency that a share of all events does not exceed; lower is "
        f"better.{over} Dotted: what the SLA allows. Logarithmic axis."
    )
    wsla = float(study.setting["wsla_s"])
    return compose(
        name, number, TITLE, caption, _alt(spreads), lambda width: _draw(spreads, wsla, width)
    )


def _spread(results: Results, study: Study, row: Row) -> Spread | None:
    rows = results.at(study.name, strategy=row["strategy"], setting=row["setting"])["simulations"]
    with_events = rows.dropna(subset=["p50"])
    if with_events.empty:
        return None
    return Spread(
        row, [np.sort(with_events[name].to_numpy(dtype=np.float64)) for name in PERCENTILES]
    )


def _alt(spreads: list[Spread]) -> str:
    sentences = [
        f"{spread.row['label']}: "
        + ", ".join(
            f"{words} {numbers.seconds(value)}"
            for words, value in zip(PERCENTILES.values(), spread.medians, strict=True)
        )
        for spread in spreads
    ]
    return f"Latency by share of events. {'; '.join(sentences)}."


def _draw(spreads: list[Spread], wsla: float, width: float) -> tuple[list[str], float]:
    height = 320.0 if width >= WIDE else 340.0
    legend = 0.0 if width >= WIDE else 18.0 * len(spreads)
    names = width >= WIDE
    scale, endless = _scale(spreads, wsla, height - 44, 34.0)
    right = width - (190 if names else 16)
    panel = Panel(
        58.0, 34.0, right, height - 44, Scale(-0.35, len(PERCENTILES) - 0.65, 58, right), scale
    )
    shares = list(PERCENTILES.values())
    panel.axes(
        "share of events",
        "latency, s",
        lambda place: shares[round(place)],
        lambda value: "∞" if endless and value == scale.high else f"{value:,g}",
        x_ticks=range(len(shares)),
        y_ticks=[*scale.ticks(6), *([scale.high] if endless else [])],
    )
    limit = panel.y(wsla)
    panel.add(svg.line(58, limit, right, limit, "axis dotted"))
    panel.add(svg.text(62, limit - 5, f"SLA {wsla:g}{numbers.SPACE}s", "note small"))
    for i, spread in enumerate(spreads):
        _curve(panel, spread, (i - (len(spreads) - 1) / 2) * 5)
    if names:
        _names(panel, spreads)
        return panel.parts, height
    return [*panel.parts, *_legend(spreads, height)], height + legend


def _scale(spreads: list[Spread], wsla: float, bottom: float, top: float) -> tuple[Scale, bool]:
    """A logarithmic scale; its upper end stands for infinity if there are such latencies."""
    every = np.concatenate([values for spread in spreads for values in spread.values])
    finite = every[np.isfinite(every) & (every > 0)]
    least = min([wsla, *finite.tolist()])
    most = max([wsla, *finite.tolist()])
    low = 10.0 ** math.floor(math.log10(least))
    high = 10.0 ** math.ceil(math.log10(most * 1.05))
    endless = not np.isfinite(every).all()
    return Scale(low, 10.0 * high if endless else high, bottom, top, log=True), endless


def _curve(panel: Panel, spread: Spread, shift: float) -> None:
    look = strategy_style.look(str(spread.row["strategy"]))
    places = []
    for place, (values, median) in enumerate(zip(spread.values, spread.medians, strict=True)):
        x, y = panel.x(place) + shift, panel.y(median)
        low, high = panel.y(float(values[0])), panel.y(float(values[-1]))
        if low - high > 1:
            panel.add(svg.line(x, low, x, high, look.bar))
        places.append((x, y))
    panel.add(svg.polyline(places, look.line))
    for (x, y), words, median in zip(places, PERCENTILES.values(), spread.medians, strict=True):
        tip = f"{spread.row['label']}, {words}: {numbers.seconds(median)}"
        panel.add(svg.marker(look.mark, x, y, look.point, tip))


def _names(panel: Panel, spreads: list[Spread]) -> None:
    """Name the curves right of their ends."""
    ends = [panel.y(spread.medians[-1]) for spread in spreads]
    levels = labels.spread(ends, labels.HEIGHT + 2, panel.top, panel.bottom)
    last = panel.x(len(PERCENTILES) - 1)
    for spread, end, level in zip(spreads, ends, levels, strict=True):
        panel.add(svg.line(last + 14, end, panel.right + 6, level, "leader"))
        look = strategy_style.look(str(spread.row["strategy"]))
        words = strategy_style.short(spread.row)
        panel.add(svg.text(panel.right + 9, level + TEXT_SIZE * 0.35, words, look.text))


def _legend(spreads: list[Spread], top: float) -> list[str]:
    drawn: list[str] = []
    for i, spread in enumerate(spreads):
        look, y = strategy_style.look(str(spread.row["strategy"])), top + 6 + 18 * i
        drawn += [
            svg.line(58, y, 82, y, look.line),
            svg.marker(look.mark, 70, y, look.point),
            svg.text(90, y + TEXT_SIZE * 0.35, strategy_style.short(spread.row)),
        ]
    return drawn
