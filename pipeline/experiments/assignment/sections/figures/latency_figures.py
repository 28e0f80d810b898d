"""Figures 7 and 8: latency against the number of consumers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from algorithms.assignment import registry
from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.paper.paper_setting import LATENCY_DELTA, LATENCY_SETTING
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.figures import algorithm_style, paper_place
from pipeline.experiments.assignment.sections.figures.latency_detail import enlarged, is_crowded
from pipeline.experiments.assignment.sections.figures.latency_parts import (
    P90,
    SHARE,
    Crosses,
    Measure,
    points,
    published_points,
    tip,
)
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import Panel, Scale
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.drawing.looks import Look
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

NAMED_KAFKA = 5
"""About how many of Kafka's static assignments are named; the others lie between."""
NAMED_PACKING = 14
"""Packing algorithms that surely have room for their names: the paper's, and two more."""
NAME_ROOM = 50.0
"""Room right of the last point for its name, in pixels."""
CHOSEN = "MWF"
"""The algorithm that the paper compares with Kafka's static assignments."""
_RANGE_MARKS = "Squares on a dashed line: Kafka's range assignor on fixed groups, range_n."


def percentile(results: Results, number: int) -> Figure | None:
    """Figure 7: 90th percentile of the latencies above 0, against mean consumers."""
    return _figure(
        results,
        "figure-07-latency-percentile",
        number,
        "90th percentile latency against consumers",
        P90,
        "latency percentiles of MWF and of Kafka's static assignments",
    )


def share_above_zero(results: Results, number: int) -> Figure | None:
    """Figure 8: share of samples that wait at all, against mean consumers."""
    return _figure(
        results,
        "figure-08-latency-share",
        number,
        "Share of data that waits, against consumers",
        SHARE,
        "fraction of samples above zero",
    )


def _figure(
    results: Results, name: str, number: int, title: str, measure: Measure, origin: str
) -> Figure | None:
    study = studies.latency(results)
    if study is None:
        return None
    crosses = _crosses(results, study, measure)
    marks = "shares of all samples" if measure is SHARE else "medians"
    spread = (
        ""
        if study.streams == 1
        else f" Marks are {marks} over {study.streams} streams; bars and band span the central 95 "
        "%."
    )
    caption = (
        f"{study.where}. Down and left is better.{spread} Logarithmic axis with a separate row "
        f"for 0{', with an enlarged view of the packing algorithms' if _crowds(study) else ''}."
        + (" Hover over a mark to see its name where labels don't fit." if _many(study) else "")
        + (f" {_RANGE_MARKS}" if _static_kinds(study.rows)[1].size else "")
        + (" Crosses: the paper's values for its one recorded stream." if crosses else "")
        + paper_place.corresponds(results, f"the latency study (Section VI-C), {origin},")
    )
    return compose(
        name,
        number,
        title,
        caption,
        _alt(study, measure),
        lambda width: _draw(study.rows, crosses, measure, width),
    )


def _many(study: studies.LatencyStudy) -> bool:
    return sum(map(studies.is_packing, study.rows["algorithm"])) > NAMED_PACKING


def _crowds(study: studies.LatencyStudy) -> bool:
    static = [not studies.is_packing(name) for name in study.rows["algorithm"]]
    return is_crowded(study.rows[static], study.rows[[not one for one in static]])


def _crosses(
    results: Results, study: studies.LatencyStudy, measure: Measure
) -> dict[str, tuple[float, float]]:
    """Published consumers and values, where capacity and times are the paper's."""
    if not comparable_latency(results, study):
        return {}
    there = set(study.rows["algorithm"])
    return {
        name: (row.mean_consumers.value, measure.published(row))
        for name, row in published.LATENCY.items()
        if name in there
    }


def comparable_latency(results: Results, study: studies.LatencyStudy) -> bool:
    """Whether streams have the size, δ, capacities and times of the paper's recorded one."""
    printed = dict(LATENCY_SETTING)
    if math.isnan(study.delta):
        # A trace brings its own size and is never clipped.
        del printed["iterations"], printed["partitions"], printed["clip"]
    elif study.delta != LATENCY_DELTA:
        return False
    widths = results.at(study.name)["streams"]["n_partitions"]
    same = (widths == LATENCY_SETTING["partitions"]).all()
    return bool(same) and not studies.differences(results.experiments[study.name], printed)


def _alt(study: studies.LatencyStudy, measure: Measure) -> str:
    shown = [*studies.packing_shown(study), *studies.kafka_shown(study)]
    rows = study.rows.set_index("algorithm")
    sentences = [
        f"{name} with {numbers.plain(rows.loc[name, 'mean_consumers'])} consumers:"
        f" {measure.value(float(rows.loc[name, measure.column]))}"
        for name in shown
    ]
    return f"{measure.label} against mean consumers. {'; '.join(sentences)}."


def _draw(
    rows: pd.DataFrame, crosses: Crosses, measure: Measure, width: float
) -> tuple[list[str], float]:
    height = 420.0 if width >= WIDE else 400.0
    panel = _panel(rows, crosses, measure, width, height)
    static = rows[[not studies.is_packing(name) for name in rows["algorithm"]]]
    packing = rows[[studies.is_packing(name) for name in rows["algorithm"]]]
    for kind, look in zip(
        _static_kinds(rows), (algorithm_style.KAFKA, algorithm_style.RANGE), strict=True
    ):
        _static(panel, kind, look, measure)
    points(panel, packing, measure)
    published_points(panel, crosses, measure)
    taken = [labels.Box.around(panel.at(*place), 5) for place in crosses.values()]
    if not is_crowded(static, packing):
        _names(panel, static, packing, measure, taken)
        return panel.parts, height
    _names(panel, static, packing[packing["algorithm"] == CHOSEN], measure, taken)
    detail, more = enlarged(packing, crosses, measure, height, width)
    return [*panel.parts, *detail], height + more


def _panel(
    rows: pd.DataFrame,
    crosses: Crosses,
    measure: Measure,
    width: float,
    height: float,
) -> Panel:
    values = [float(v) for v in rows[f"{measure.column}_high"]] + [y for _, y in crosses.values()]
    drawn = [v for v in values if v > 0 and math.isfinite(v)]
    lows = [float(v) for v in rows[measure.column]] + [y for _, y in crosses.values()]
    least = min((v for v in lows if v > 0 and math.isfinite(v)), default=0.1)
    low = max(measure.floor, 10.0 ** math.floor(math.log10(least)))
    high = 10.0 ** math.ceil(math.log10(max(*drawn, low * 10) if drawn else low * 10))
    left, right, bottom = 58.0, width - 14, height - 80
    most = float(rows["mean_consumers"].max())
    panel = Panel(
        left,
        34.0,
        right,
        bottom,
        Scale(0.0, most, left, right - NAME_ROOM),
        Scale(low, high, bottom, 34.0, log=True, zero=bottom + 24),
    )
    panel.axes("mean consumers in use", measure.label, "{:g}".format, measure.tick)
    return panel


def _static_kinds(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Kafka's static assignments kd_n, and its range assignor, range_n."""
    static = rows[[not studies.is_packing(name) for name in rows["algorithm"]]]
    is_range = np.array([registry.parameter_of(name) is None for name in static["algorithm"]], bool)
    return static[~is_range], static[is_range]


def _static(panel: Panel, rows: pd.DataFrame, look: Look, measure: Measure) -> None:
    """Fixed groups of one kind as one curve with a band."""
    if rows.empty:
        return
    xs = [float(x) for x in rows["mean_consumers"]]
    ends = {
        end: list(map(panel.at, xs, rows[f"{measure.column}{end}"].astype(float)))
        for end in ("", "_low", "_high")
    }
    if ends["_low"] != ends["_high"]:
        panel.add(svg.polygon([*ends["_high"], *reversed(ends["_low"])], "band f-ink"))
    panel.add(svg.polyline(ends[""], look.line))
    for place, row in zip(ends[""], rows.to_dict("records"), strict=True):
        panel.add(svg.marker(look.mark, *place, look.point, tip(row, measure), 3.0))


def _names(
    panel: Panel,
    static: pd.DataFrame,
    packing: pd.DataFrame,
    measure: Measure,
    taken: list[labels.Box],
) -> None:
    is_printed = static["algorithm"].isin(published.LATENCY)
    every = max(1, math.ceil(len(static) / NAMED_KAFKA))
    chosen = static[is_printed | (np.arange(len(static)) % every == 0)]
    rows = pd.concat([packing.iloc[::-1], chosen])
    if rows.empty:
        return
    names = [str(name) for name in rows["algorithm"]]
    places = [
        panel.at(float(x), float(y))
        for x, y in zip(rows["mean_consumers"], rows[measure.column], strict=True)
    ]
    curve = [
        panel.at(float(x), float(y))
        for x, y in zip(static["mean_consumers"], static[measure.column], strict=True)
    ]
    taken += [labels.Box.around(place, 4) for place in curve]
    bounds = labels.Box(panel.left, panel.top, panel.right, panel.floor)
    ranked = sorted(range(len(names)), key=lambda i: (names[i] != CHOSEN, i))
    placed = labels.place(
        [names[i] for i in ranked], [places[i] for i in ranked], bounds, 12.0, taken
    )
    for label in labels.apart(placed):
        panel.add(label.drawn(algorithm_style.look(label.text).text))
