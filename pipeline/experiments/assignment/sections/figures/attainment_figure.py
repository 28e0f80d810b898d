"""Figure 13: the front of the paper's algorithms and that of all, over replicates."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from algorithms.assignment import registry
from algorithms.core.arrays import Floats
from algorithms.inference import pareto_front
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.figures import algorithm_style
from pipeline.experiments.assignment.sections.figures.fronts_figure import Crosses
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import Panel, Scale, room_above
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results, at

NAME = "figure-13-attainment"
TITLE = "Fronts over replicates: the paper's twelve, and all algorithms"
HEIGHT = 350.0

LOOKS = {"reference": ("line dashed s-amber", "f-amber"), "all": ("line strong s-teal", "f-teal")}
WORDS = {"reference": "the paper's twelve", "all": "all algorithms"}


class Part(NamedTuple):
    """Data drawn for one δ."""

    delta: float
    points: pd.DataFrame
    """Rows of `pareto` that are on the front of the paper's algorithms or of all."""
    surfaces: dict[tuple[str, int], Floats]
    """By front and level, corners of the surface: CBS in % and mean Rscore."""


def attainment(results: Results, number: int) -> Figure | None:
    """Figure 13: surfaces that a quarter, half and three quarters of the replicates attain."""
    study = studies.tradeoff(results)
    if study is None or study.replicates < 2 or results["indicators"].empty:
        return None
    if results.at(study.name)["indicators"].empty:
        return None
    values = [delta for delta in study.deltas if delta > 0] or study.deltas or [math.nan]
    parts = [_part(results["indicators"], study, delta) for delta in values]
    crosses = studies.published_scores(results, study.name)
    caption = (
        f"Experiment {study.name}: {study.words}. Down and left is better. Lines are median "
        f"attainment surfaces over replicates; areas span the quartiles ({study.streams}). "
        "Marks are means of the algorithms on either front, with 95 % intervals. CBS is "
        "relative to the fewest consumers of all algorithms of the run. "
        + ("Crosses: the authors' published results, one stream each." if crosses else "")
    )
    alt = " ".join(_sentence(part) for part in parts)
    return compose(NAME, number, TITLE, caption, alt, lambda width: _draw(parts, crosses, width))


def _part(indicators: pd.DataFrame, study: studies.Study, delta: float) -> Part:
    surfaces = {
        (str(row["front"]), level): np.column_stack(
            [100.0 * np.asarray(row[f"cbs_{level}"]), np.asarray(row[f"mean_rscore_{level}"])]
        )
        for row in at(indicators, study.name, delta=delta).to_dict("records")
        for level in (25, 50, 75)
        if row["front"] in WORDS and row[f"cbs_{level}"] is not None
    }
    rows = at(study.packing, study.name, delta=delta)
    inside = rows["algorithm"].isin(registry.reference_set()).to_numpy()
    chosen = _on_front(rows)
    chosen[inside] |= _on_front(rows[inside])
    return Part(delta, rows[chosen], surfaces)


def _on_front(rows: pd.DataFrame) -> np.ndarray:
    points = rows[["cbs_common", "mean_rscore"]].to_numpy(dtype=np.float64)
    return pareto_front.non_dominated(np.ascontiguousarray(points))


def _sentence(part: Part) -> str:
    where = "On the recorded traces" if math.isnan(part.delta) else f"At δ = {part.delta:g}"
    sentences = []
    for front, words in WORDS.items():
        corners = part.surfaces.get((front, 50))
        if corners is not None and len(corners):
            (fewest, most), (x, y) = corners[0], corners[-1]
            sentences.append(
                f"half of the fronts of {words} reach from CBS {fewest:.1f} % with Rscore "
                f"{numbers.plain(most)} to {x:.1f} % with {numbers.plain(y)}"
            )
    return f"{where}, {numbers.listing(sentences)}."


def _draw(parts: list[Part], crosses: Crosses, width: float) -> tuple[list[str], float]:
    columns = 2 if width >= WIDE and len(parts) > 1 else 1
    cell = width / columns
    there = [value for key, value in crosses.items() if key[1] in {p.delta for p in parts}]
    ends = [corner for part in parts for surface in part.surfaces.values() for corner in surface]
    x_end = room_above([*(x for x, _ in ends), *(100 * v.cbs for v in there if v.cbs < 0.2)], 0.08)
    y_end = room_above([*(y for _, y in ends), *(p["mean_rscore"].max() for _, p, _ in parts)])
    drawn: list[str] = []
    for i, part in enumerate(parts):
        left, top = (i % columns) * cell, (i // columns) * HEIGHT
        box = labels.Box(left + 38, top + 52, left + cell - 12, top + HEIGHT - 50)
        panel = Panel(
            *box,
            Scale(0.0, x_end, box.left + 14, box.right),
            Scale(0.0, y_end, box.bottom, box.top),
        )
        drawn += _panel(panel, part, crosses, box)
    return drawn, math.ceil(len(parts) / columns) * HEIGHT


def _panel(panel: Panel, part: Part, crosses: Crosses, box: labels.Box) -> list[str]:
    panel.axes("CBS, consumers above the common minimum, %", "", "{:g}".format, "{:g}".format)
    start = box.left - 30
    heading = "recorded traces" if math.isnan(part.delta) else f"δ = {part.delta:g}"
    panel.add(svg.text(start, box.top - 34, heading, "panel"))
    panel.add(svg.text(start, box.top - 14, "mean Rscore, capacities C per iteration", "label"))
    _key(panel, part, start + 76, box.top - 38)
    for front, (line, area) in LOOKS.items():
        _surface(panel, part, front, line, area)
    for (name, delta), value in crosses.items():
        inside = 100 * value.cbs <= panel.x.high and value.mean_rscore <= panel.y.high
        if delta == part.delta and inside:
            tip = f"{name}, published: CBS {numbers.percent(value.cbs)}"
            place = panel.at(100 * value.cbs, value.mean_rscore)
            panel.add(svg.marker("cross", *place, "published", tip))
    _points(panel, part.points, box)
    return panel.parts


def _key(panel: Panel, part: Part, x: float, y: float) -> None:
    """Key to the lines, next to the heading."""
    for front, (line, _) in LOOKS.items():
        if (front, 50) in part.surfaces:
            panel.add(svg.line(x, y, x + 18, y, line))
            panel.add(svg.text(x + 23, y + 4, WORDS[front], "label small"))
            x += 142


def _surface(panel: Panel, part: Part, front: str, line: str, area: str) -> None:
    if (front, 50) not in part.surfaces:
        return
    quarter, half, most = (_stairs(panel, part.surfaces[front, level]) for level in (25, 50, 75))
    panel.add(svg.polygon([*quarter, *reversed(most)], f"band {area}"))
    panel.add(svg.polyline(half, line))


def _stairs(panel: Panel, corners: Floats) -> list[svg.Point]:
    """A surface from the upper to the right edge of the panel."""
    places = [panel.at(x, y) for x, y in corners.tolist()]
    stairs = [(places[0][0], panel.top)]
    for x, y in places:
        stairs += [(x, stairs[-1][1]), (x, y)]
    return [*stairs, (panel.right, stairs[-1][1])]


def _points(panel: Panel, rows: pd.DataFrame, box: labels.Box) -> None:
    ordered = rows.sort_values("cbs_common", kind="stable").to_dict("records")
    places = [panel.at(100 * row["cbs_common"], row["mean_rscore"]) for row in ordered]
    for row, (x, y) in zip(ordered, places, strict=True):
        look = algorithm_style.look(str(row["algorithm"]))
        panel.add(*_bars(panel, row, look.bar), svg.marker(look.mark, x, y, look.point, _tip(row)))
    names = [str(row["algorithm"]) for row in ordered]
    for label in labels.place(names, places, box, 12.0, []):
        css = f"name t-{algorithm_style.look(label.text).colour}"
        reference = label.text in registry.reference_set()
        panel.add(label.drawn(css if reference else f"{css} bold"))


def _bars(panel: Panel, row: dict[str, Any], css: str) -> list[str]:
    x, y = panel.at(100 * row["cbs_common"], row["mean_rscore"])
    ends = [row[f"{name}_{end}"] for name in ("cbs_common", "mean_rscore") for end in _ENDS]
    if not all(map(math.isfinite, ends)):
        return []
    left, right, low, high = ends
    return [
        svg.line(panel.x(100 * left), y, panel.x(100 * right), y, css),
        svg.line(x, panel.y(low), x, panel.y(high), css),
    ]


_ENDS = ("low", "high")


def _tip(row: dict[str, Any]) -> str:
    cbs, moved = numbers.percent(row["cbs_common"], 2), numbers.plain(row["mean_rscore"])
    return f"{row['algorithm']}: CBS {cbs}, mean Rscore {moved}{numbers.SPACE}C"
