"""Figure 5: consumers in use over time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.figures import (
    algorithm_style,
    paper_place,
    shown_algorithms,
)
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import TEXT_SIZE, Panel, Scale, room_above
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

NAME = "figure-05-consumers"
TITLE = "Consumers in use over time"
LONGEST = 400
"""Points per curve that can be distinguished; of longer series, extremes are drawn."""


def consumers(results: Results, number: int) -> Figure | None:
    """Figure 5: consumers per iteration, packing algorithms against Kafka's static ones."""
    study = studies.latency(results)
    if study is None:
        return None
    shown = shown_algorithms.shown(results, study)
    curves = _curves(results, study, shown.packing)
    if not curves:
        return None
    static = {name: registry.members_of(name) or 0 for name in shown.fixed}
    seconds = float(results.experiments[study.name]["iteration_seconds"])
    means = _means(study, curves)
    fixed = (
        f"Horizontal lines: {_kinds(static)}, which use n consumers throughout."
        if static
        else "This run includes none of Kafka's static assignments."
    )
    place = "the latency study (Section VI-C), number of consumers over the iterations,"
    caption = f"{study.where}. {means}{fixed}{paper_place.corresponds(results, place)}"
    return compose(
        NAME,
        number,
        TITLE,
        caption,
        _alt(curves, static),
        lambda width: _draw(curves, static, seconds, width),
    )


def _means(study: studies.LatencyStudy, curves: dict[str, pd.DataFrame]) -> str:
    """What is averaged: streams, and the iterations of a span where series are long."""
    spans = [float(part["iteration"].diff().max()) for part in curves.values() if len(part) > 1]
    iterations = int(max(spans, default=1.0))
    parts = [
        f"{count} {what}"
        for count, what in ((study.streams, "streams"), (iterations, "iterations"))
        if count > 1
    ]
    if not parts:
        return ""
    over = " and ".join(parts)
    return f"Curves are means over {over}; the band spans their minimum and maximum. "


def _kinds(static: Iterable[str]) -> str:
    """What the fixed groups are, in words."""
    has_range = any(registry.parameter_of(name) is None for name in static)
    more = ", and its range assignor on fixed groups, range_n" if has_range else ""
    return f"Kafka's static assignments kd_n{more}"


def _curves(
    results: Results, study: studies.LatencyStudy, names: Iterable[str]
) -> dict[str, pd.DataFrame]:
    rows = results.at(study.name, delta=study.delta)["series"]
    curves = {name: rows[rows["algorithm"] == name] for name in names}
    return {name: part.sort_values("iteration") for name, part in curves.items() if len(part)}


def _thin(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows to draw: of each span of time, those with the least and greatest values."""
    if len(rows) <= LONGEST:
        return rows
    ends = [
        (rows[column].to_numpy(), pick)
        for column, pick in (
            ("n_consumers", np.argmin),
            ("n_consumers", np.argmax),
            ("n_consumers_min", np.argmin),
            ("n_consumers_max", np.argmax),
        )
    ]
    spans = np.array_split(np.arange(len(rows)), LONGEST // len(ends))
    places = {int(span[pick(values[span])]) for span in spans for values, pick in ends}
    return rows.iloc[sorted(places | {len(rows) - 1})]


def _mean(part: pd.DataFrame) -> float:
    """Mean over all rows of the table."""
    return float(np.average(part["n_consumers"], weights=part["n_rows"]))


def _alt(curves: dict[str, pd.DataFrame], static: dict[str, int]) -> str:
    ranges = [
        f"{name} uses {numbers.plain(_mean(part))} consumers on average, between"
        f" {part['n_consumers_min'].min():g} and {part['n_consumers_max'].max():g}"
        for name, part in curves.items()
    ]
    fixed = f" Constant: {numbers.listing(list(static))}." if static else ""
    return f"Consumers over iterations: {numbers.listing(ranges)}.{fixed}"


def _draw(
    curves: dict[str, pd.DataFrame], static: dict[str, int], seconds: float, width: float
) -> tuple[list[str], float]:
    height = 360.0 if width >= WIDE else 330.0
    last = max(float(part["iteration"].max()) for part in curves.values())
    greatest = max(float(part["n_consumers_max"].max()) for part in curves.values())
    top = room_above([greatest, *map(float, static.values())])
    left, right, bottom = 40.0, width - 58, height - 46
    panel = Panel(
        left,
        34.0,
        right,
        bottom,
        Scale(1.0, max(last, 2.0), left + 4, right - 4),
        Scale(0.0, top, bottom, 34.0),
    )
    label = f"iteration, {seconds:g} s each"
    panel.axes(label, "consumers", "{:g}".format, "{:g}".format)
    for n in static.values():
        panel.add(svg.line(panel.left, panel.y(n), panel.right, panel.y(n), "line s-ink dashed"))
    for name, part in curves.items():
        _curve(panel, name, _thin(part))
    _names(panel, curves, static)
    return panel.parts, height


def _curve(panel: Panel, name: str, part: pd.DataFrame) -> None:
    look = algorithm_style.look(name)
    steps = [float(i) for i in part["iteration"]]
    if (part["n_consumers_max"] > part["n_consumers_min"]).any():
        above = [panel.at(i, v) for i, v in zip(steps, part["n_consumers_max"], strict=True)]
        below = [panel.at(i, v) for i, v in zip(steps, part["n_consumers_min"], strict=True)]
        panel.add(svg.polygon([*above, *reversed(below)], f"band f-{look.colour}"))
    line = [panel.at(i, v) for i, v in zip(steps, part["n_consumers"], strict=True)]
    panel.add(svg.polyline(line, look.line))


def _names(panel: Panel, curves: dict[str, pd.DataFrame], static: dict[str, int]) -> None:
    ends = {name: float(part["n_consumers"].iloc[-1]) for name, part in curves.items()}
    ends |= {name: float(n) for name, n in static.items()}
    pixels = [panel.y(value) for value in ends.values()]
    levels = labels.spread(pixels, labels.HEIGHT, panel.top + 4, panel.bottom - 2)
    for name, end, level in zip(ends, pixels, levels, strict=True):
        panel.add(svg.line(panel.right, end, panel.right + 10, level, "leader"))
        text = svg.text(
            panel.right + 13, level + TEXT_SIZE * 0.35, name, algorithm_style.look(name).text
        )
        panel.add(text)
