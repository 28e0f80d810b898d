"""Latencies on the broker against predicted ones."""

from __future__ import annotations

import math
from typing import NamedTuple

from pipeline.experiments.live.results.live_study import Study
from pipeline.experiments.live.sections.figures.live_style import look
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import KEY_ROW, TEXT_SIZE, Panel, Scale
from pipeline.reporting.drawing.figure import Figure, compose
from pipeline.reporting.sections import numbers
from schemas.tables.live.live_agreement import LATENCIES

TITLE = "Latency on the broker against predictions"

LEAST = 1e-3
"""Lower end of the axes, s; smaller values, zeros among them, are drawn there."""


class Point(NamedTuple):
    """A percentile of one strategy on one stream, s; ``is_replayed`` for prediction B."""

    strategy: str
    stream: str
    quantity: str
    predicted: float
    measured: float
    is_replayed: bool


def predicted(study: Study, number: int) -> Figure | None:
    """All percentiles of all streams, against prediction A and against B."""
    name, points = f"predicted-{number}", points_of(study)
    if not points:
        return None
    caption = (
        f"Experiment {study.name}. 50th, 90th and 99th percentiles of each strategy on each "
        "stream. Hollow: the latency model on simulated assignments (A); filled: a replay of the "
        "queues (B). On the line, both are equal. Logarithmic axes; shorter than 1 ms is drawn at "
        f"the edge.{_left_out(study, points)}"
    )
    return compose(name, number, TITLE, caption, _alt(study), lambda w: _draw(study, points, w))


def _left_out(study: Study, points: list[Point]) -> str:
    """How many predictions have no place on the axes."""
    rows = study.agreement[study.agreement["quantity"].isin(LATENCIES)]
    values = rows[["predicted_a", "predicted_b"]].astype(float)
    endless = int(values.notna().to_numpy().sum()) - len(points)
    return f" Not drawn: {endless} unbounded predictions." if endless else ""


def points_of(study: Study) -> list[Point]:
    """Points with a finite prediction, A before B."""
    points = []
    rows = study.agreement[study.agreement["quantity"].isin(LATENCIES)]
    for which in ("a", "b"):
        for row in rows.to_dict("records"):
            value = row[f"predicted_{which}"]
            if value is not None and math.isfinite(value):
                place = (row["strategy"], row["stream_id"], row["quantity"])
                points.append(Point(*place, float(value), float(row["measured"]), which == "b"))
    return points


def _alt(study: Study) -> str:
    sentences = []
    for one in study.ranked:
        cell = one.quantities.get("p90")
        if cell is not None:
            sentences.append(
                f"{one.strategy}: {numbers.seconds(cell.measured)} on the broker, "
                f"{numbers.seconds(cell.by_assignment)} by A, {numbers.seconds(cell.by_queue)} by B"
            )
    return f"90th percentile of latency. {'; '.join(sentences)}."


def _draw(study: Study, points: list[Point], width: float) -> tuple[list[str], float]:
    names = [one.strategy for one in study.outcomes]
    keyed, top = _key(names, width)
    side = min(width, 460.0) - 80.0
    left, right = 64.0, 64.0 + side
    upper, lower = top + 34.0, top + 34.0 + side * 0.8
    most = max(max(point.predicted, point.measured) for point in points)
    high = max(10.0 ** math.ceil(math.log10(max(most, LEAST) * 1.05)), 1.0)
    panel = Panel(
        left,
        upper,
        right,
        lower,
        Scale(LEAST, high, left, right, log=True),
        Scale(LEAST, high, lower, upper, log=True),
    )
    panel.axes("predicted, s", "on the broker, s", "{:g}".format, "{:g}".format)
    panel.add(svg.line(left, lower, right, upper, "axis dotted"))
    for point in points:
        own = look(point.strategy, names, point.is_replayed)
        panel.add(svg.marker(own.mark, *_place(panel, point), own.point, _tip(point)))
    return [*keyed, *panel.parts], lower + 48.0


def _place(panel: Panel, point: Point) -> svg.Point:
    return panel.x(max(point.predicted, LEAST)), panel.y(max(point.measured, LEAST))


def _tip(point: Point) -> str:
    which = "B" if point.is_replayed else "A"
    return (
        f"{point.strategy}, {point.stream}, {point.quantity}: {numbers.seconds(point.measured)}, "
        f"by {which} {numbers.seconds(point.predicted)}"
    )


def _key(names: list[str], width: float) -> tuple[list[str], float]:
    """Marks and names in columns, and the height that they take."""
    longest = max(svg.width_of(name, TEXT_SIZE) for name in names)
    columns = max(1, int(width // max(longest + 40.0, 110.0)))
    drawn: list[str] = []
    for i, name in enumerate(names):
        x, y = 14 + (i % columns) * width / columns, 10 + (i // columns) * KEY_ROW
        hollow, filled = (look(name, names, is_filled) for is_filled in (False, True))
        drawn += [
            svg.marker(hollow.mark, x, y, hollow.point),
            svg.marker(filled.mark, x + 14, y, filled.point),
            svg.text(x + 24, y + TEXT_SIZE * 0.35, name),
        ]
    return drawn, 10 + math.ceil(len(names) / columns) * KEY_ROW
