"""Figure 6: distribution of latencies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from algorithms.scores.latency_model import HISTOGRAM_EDGES
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.figures import (
    algorithm_style,
    paper_place,
    shown_algorithms,
)
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale
from pipeline.reporting.drawing.figure import WIDE, Omitted, Outcome, compose
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

NAME, NUMBER = "figure-06-latency-distribution", 6
TITLE = "Share of the data that waits longer than a given time"
SHORTEST, LONGEST = 1e-2, 1e5
LEAST = 1e-6
"""Smallest share drawn."""
GUTTER = 58.0
"""Room for the names left of the curves, in pixels."""

Tail = list[tuple[float, float]]
"""Latencies, s, and the share of all samples above each."""


def distribution(results: Results) -> Outcome:
    """Figure 6: share of samples above a latency, on logarithmic axes."""
    study = studies.latency(results)
    if study is None:
        return Omitted(NAME, NUMBER, TITLE, "this run has no latencies")
    pooled = results.at(study.name, delta=study.delta)["histograms"].set_index("algorithm")
    rows = study.rows.set_index("algorithm").join(pooled["histogram"])
    shown = shown_algorithms.shown(results, study)
    tails = {name: tail(rows.loc[name]) for name in (*shown.fixed, *shown.packing)}
    tails = {name: points for name, points in tails.items() if points}
    if not tails:
        return Omitted(NAME, NUMBER, TITLE, "no sample of this run has a latency above 0")
    over = "" if study.streams == 1 else f", pooled over {study.streams} streams"
    caption = (
        f"{study.where}. Share of all samples (units of data{over}) with a latency above the "
        "value on the horizontal axis; lower and further left is better."
        + paper_place.corresponds(
            results, "the latency study (Section VI-C), distribution of latencies,"
        )
    )
    return compose(NAME, NUMBER, TITLE, caption, _alt(tails), lambda width: _draw(tails, width))


def tail(row: Any) -> Tail:
    """Share of samples above each edge of the histogram, as far as there are any."""
    counts = np.asarray(row["histogram"], dtype=np.float64)
    samples = float(row["n_samples"]) * float(row["streams"])
    above = np.append(np.cumsum(counts[::-1])[::-1], 0.0)[: len(HISTOGRAM_EDGES)]
    return [
        (float(edge), float(share))
        for edge, share in zip(HISTOGRAM_EDGES, above / max(samples, 1.0), strict=True)
        if SHORTEST * 0.999 <= edge <= LONGEST and share > 0
    ]


def _alt(tails: dict[str, Tail]) -> str:
    parts = [
        f"under {name}, {numbers.percent(_above(points, 0.1), 2)} of the data waits longer than"
        f" 0.1 s, {numbers.percent(_above(points, 10.0), 2)} longer than 10 s"
        for name, points in tails.items()
    ]
    return f"Share of data above a latency: {'; '.join(parts)}."


def _above(points: Tail, latency: float) -> float:
    return next((share for edge, share in points if edge >= latency * 0.999), 0.0)


def _draw(tails: dict[str, Tail], width: float) -> tuple[list[str], float]:
    height = 400.0 if width >= WIDE else 380.0
    smallest = max(min(points[-1][1] for points in tails.values()), LEAST)
    longest = max(points[-1][0] for points in tails.values())
    low = 10.0 ** math.floor(math.log10(smallest))
    high = 10.0 ** math.ceil(math.log10(longest * 1.05))
    left, right, bottom = 66.0, width - 24, height - 46
    panel = Panel(
        left,
        34.0,
        right,
        bottom,
        Scale(SHORTEST, high, left + GUTTER, right, log=True),
        Scale(low, 1.0, bottom, 34.0, log=True),
    )
    panel.axes("latency, s", "share of samples above it", "{:,g}".format, _share)
    for name, points in tails.items():
        curve = [panel.at(*point) for point in points]
        panel.add(
            svg.polyline([*curve, (curve[-1][0], panel.bottom)], algorithm_style.look(name).line)
        )
    _names(panel, {name: panel.y(points[0][1]) for name, points in tails.items()})
    return panel.parts, height


def _share(value: float) -> str:
    return f"{100 * value:g} %"


def _names(panel: Panel, starts: dict[str, float]) -> None:
    """Name the curves left of where they start, where they are farthest apart."""
    levels = labels.spread(list(starts.values()), labels.HEIGHT, panel.top, panel.bottom)
    start = panel.x(SHORTEST)
    for (name, pixel), level in zip(starts.items(), levels, strict=True):
        panel.add(svg.line(start - 8, level, start - 1, pixel, "leader"))
        css = algorithm_style.look(name).text
        panel.add(svg.text(start - 11, level + TEXT_SIZE * 0.35, name, css, "end"))
