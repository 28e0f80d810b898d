"""Figure 12: what each algorithm costs in consumers and in migrations, and the front."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.assignment import registry
from algorithms.inference import pareto_front
from pipeline.experiments.assignment.paper.authors_results import Published
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.figures import algorithm_style, paper_place
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import Panel, Scale, nice_step, room_above
from pipeline.reporting.drawing.figure import WIDE, Omitted, Outcome, compose
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results, at
from schemas import metrics

NAME, NUMBER = "figure-12-pareto", 12
TITLE = "CBS against mean Rscore: the Pareto front"

GUTTER = 48.0
"""Room left of CBS = 0, where several algorithms meet, for their names; pixels."""

Crosses = dict[tuple[str, float], Published]


def fronts(results: Results) -> Outcome:
    """Figure 12: one panel per δ, the front as a line."""
    study = studies.tradeoff(results)
    if study is None:
        return Omitted(NAME, NUMBER, TITLE, "this run has no packing algorithm")
    # Without changes (δ = 0) nearly all algorithms coincide; there is no trade-off to draw.
    values = [delta for delta in study.deltas if delta > 0] or study.deltas or [math.nan]
    crosses = studies.published_scores(results, study.name)
    parts = [(delta, at(study.packing, study.name, delta=delta)) for delta in values]
    caption = (
        f"Experiment {study.name}: {study.words}. Down and left is better. Means over "
        f"{study.streams}{_bars(study)}. The line joins the non-dominated algorithms, named in "
        "bold."
        + (" Crosses: the authors' published results, one stream each." if crosses else "")
        + paper_place.corresponds(
            results, "the trade-off study (Section VI-E), Pareto front for each δ,"
        )
    )
    alt = " ".join(_sentence(delta, rows) for delta, rows in parts)
    title = TITLE + " at each δ" * bool(study.deltas)
    drawn = compose(NAME, NUMBER, title, caption, alt, lambda width: _draw(parts, crosses, width))
    names = sorted(study.packing["algorithm"].unique(), key=registry.sort_key)
    return drawn._replace(choices=tuple((str(name), _swatch(str(name))) for name in names))


def _bars(study: studies.Study) -> str:
    return "; bars are 95 % intervals" if study.replicates > 1 else ""


def on_front(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Which of the algorithms drawn no other of them dominates."""
    points: NDArray[np.float64] = rows[["cbs", "mean_rscore"]].to_numpy(dtype=np.float64)
    return pareto_front.non_dominated(np.ascontiguousarray(points))


def _sentence(delta: float, rows: pd.DataFrame) -> str:
    front = rows[on_front(rows)].sort_values("cbs", kind="stable")
    where = "On the recorded traces" if math.isnan(delta) else f"At δ = {delta:g}"
    listed = [
        f"{name} ({numbers.percent(cbs)} more consumers than the minimum, Rscore"
        f" {numbers.plain(moved)})"
        for name, cbs, moved in zip(
            front["algorithm"], front["cbs"], front["mean_rscore"], strict=True
        )
    ]
    return (
        f"{where}, on the front, from fewest consumers to least data moved: "
        f"{numbers.listing(listed)}."
    )


def _swatch(name: str) -> str:
    """An algorithm's mark as a small drawing, for a list of names."""
    look = algorithm_style.look(name)
    mark = svg.marker(look.mark, 7, 7, look.point)
    return f'<svg class="gs-figure" viewBox="0 0 14 14" aria-hidden="true">{mark}</svg>'


class _Axes(NamedTuple):
    """Ranges that all panels share, so that they can be compared."""

    x_end: float
    y_start: float
    y_end: float


def _axes(rows: pd.DataFrame, crosses: Crosses) -> _Axes:
    x = [*(100 * rows["cbs"]), *(100 * value.cbs for value in crosses.values())]
    y = [*rows["mean_rscore"], *(value.mean_rscore for value in crosses.values())]
    top = room_above(y, 0.08)
    step = nice_step((top - min(y)) / 8)
    return _Axes(room_above(x, 0.08), step * max(math.floor(min(y) / step - 0.3), 0), top)


def _draw(
    parts: list[tuple[float, pd.DataFrame]], crosses: Crosses, width: float
) -> tuple[list[str], float]:
    columns = 2 if width >= WIDE and len(parts) > 1 else 1
    cell_width, cell_height = width / columns, 350.0
    shown = {float(delta) for delta, _ in parts}
    there = {key: value for key, value in crosses.items() if key[1] in shown}
    axes = _axes(pd.concat([rows for _, rows in parts]), there)
    drawn: list[str] = []
    for i, (delta, rows) in enumerate(parts):
        left, top = (i % columns) * cell_width, (i // columns) * cell_height
        box = labels.Box(left + 38, top + 52, left + cell_width - 12, top + cell_height - 50)
        drawn += _panel(rows, delta, there, box, axes)
    if columns == 2 and len(parts) % 2:
        drawn += _key(cell_width + 38, (len(parts) // 2) * cell_height + 52, bool(there))
    return drawn, math.ceil(len(parts) / columns) * cell_height


def _key(left: float, top: float, crosses: bool) -> list[str]:
    """How to read the panels, in the cell that they leave empty."""
    corner = [(left, top), (left + 16, top), (left + 16, top + 8)]
    drawn = [svg.polyline(corner, "front")]
    drawn.append(svg.text(left + 28, top + 7, "front: non-dominated algorithms"))
    drawn.append(svg.text(left, top + 31, "ABC", "bold"))
    drawn.append(svg.text(left + 34, top + 31, "on the front"))
    if crosses:
        drawn.append(svg.marker("cross", left + 8, top + 51, "published"))
        drawn.append(svg.text(left + 28, top + 55, "published by the authors"))
    return drawn


def _panel(
    rows: pd.DataFrame, delta: float, crosses: Crosses, box: labels.Box, axes: _Axes
) -> list[str]:
    panel = Panel(
        *box,
        Scale(0.0, axes.x_end, box.left + GUTTER, box.right),
        Scale(axes.y_start, axes.y_end, box.bottom, box.top),
    )
    panel.axes("CBS, consumers above minimum, %", "", "{:g}".format, "{:g}".format)
    heading = "recorded traces" if math.isnan(delta) else f"δ = {delta:g}"
    start = box.left - 30
    panel.add(svg.text(start, box.top - 34, heading, "panel"))
    panel.add(svg.text(start, box.top - 14, "mean Rscore, capacities C per iteration", "label"))
    front = on_front(rows)
    _front_line(panel, rows[front])
    for row in rows.to_dict("records"):
        _point(panel, row)
    for (name, at_delta), value in crosses.items():
        if at_delta == delta:
            place = panel.at(100 * value.cbs, value.mean_rscore)
            cbs = numbers.percent(value.cbs)
            tip = f"{name}, published: CBS {cbs}, mean Rscore {value.mean_rscore:g}"
            cross = svg.marker("cross", *place, "published", tip)
            panel.add(svg.group([cross], "of", {"name": name}))
    _names(panel, rows, front, box)
    edges: dict[str, str | float] = {"where": heading, "top": panel.top, "right": panel.right}
    return [svg.group(panel.parts, "front-panel", edges)]


def _pairs(rows: pd.DataFrame) -> Iterator[tuple[float, float]]:
    """CBS and mean Rscore of each row."""
    return zip(rows["cbs"].astype(float), rows["mean_rscore"].astype(float), strict=True)


def _front_line(panel: Panel, rows: pd.DataFrame) -> None:
    """Stairs through the front, out to the edges of what it dominates."""
    ordered = rows.sort_values(["cbs", "mean_rscore"], kind="stable")
    places = [panel.at(100 * c, r) for c, r in _pairs(ordered)]
    if not places:
        return
    stairs = [(places[0][0], panel.top)]
    for x, y in places:
        stairs += [(x, stairs[-1][1]), (x, y)]
    panel.add(svg.polyline([*stairs, (panel.right, stairs[-1][1])], "front"))


def _point(panel: Panel, row: dict[str, Any]) -> None:
    name, cbs, moved = str(row["algorithm"]), 100 * row["cbs"], row["mean_rscore"]
    look = algorithm_style.look(name)
    x, y = panel.at(cbs, moved)
    parts = _whiskers(panel, row, look.bar)
    tip = f"{name}: {_score(row, 'cbs')}; {_score(row, 'mean_rscore')}"
    parts.append(svg.marker(look.mark, x, y, look.point, tip))
    words = {"name": name, "tip": tip, "x": f"{x:.1f}", "y": f"{y:.1f}"}
    values = {"cbs": float(row["cbs"]), "rscore": float(row["mean_rscore"])}
    panel.add(svg.group(parts, "of point", {**words, **values}))


def _whiskers(panel: Panel, row: dict[str, Any], css: str) -> list[str]:
    """Intervals of both scores, those that there are."""
    x, y = panel.at(100 * row["cbs"], row["mean_rscore"])
    cbs = [panel.x(100 * row[f"cbs_{end}"]) for end in ("low", "high")]
    moved = [panel.y(row[f"mean_rscore_{end}"]) for end in ("low", "high")]
    lines = []
    if all(map(math.isfinite, cbs)):
        lines.append(svg.line(cbs[0], y, cbs[1], y, css))
    if all(map(math.isfinite, moved)):
        lines.append(svg.line(x, moved[0], x, moved[1], css))
    return lines


def _score(row: dict[str, Any], column: str) -> str:
    """A score in words, with its interval where there is one."""
    metric = metrics.metric(column)
    text = partial(numbers.of_metric, metric)
    low, high = float(row[f"{column}_low"]), float(row[f"{column}_high"])
    value_text = f"{metric.short} {text(float(row[column]))}"
    if math.isfinite(low) and math.isfinite(high):
        value_text += f" (95{numbers.SPACE}% interval {text(low)} to {text(high)})"
    return value_text


def _names(panel: Panel, rows: pd.DataFrame, front: NDArray[np.bool_], box: labels.Box) -> None:
    ranked = rows.assign(front=front).sort_values(["front", "cbs"], ascending=[False, True])
    names = [str(name) for name in ranked["algorithm"]]
    places = [panel.at(100 * c, r) for c, r in _pairs(ranked)]
    for label, first in zip(
        labels.place(names, places, box, 12.0, []), ranked["front"], strict=True
    ):
        look = algorithm_style.look(label.text)
        drawn = label.drawn(f"name t-{look.colour}" + (" bold" if first else ""))
        panel.add(svg.group([drawn], "of", {"name": label.text}))
