"""Figure 14: mean ranks of the algorithms, and which of them do not differ."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pandas as pd

from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.figures import algorithm_style
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.axes import Scale
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results, at

NAME = "figure-14-ranks"
TITLE = "Mean ranks over replicates, and the critical difference"

METRICS = {"cbs_common": "CBS", "mean_rscore": "mean Rscore"}
MARGIN = 84.0
"""Room for names on either side of the axis, pixels."""

ROW, BAR = 15.0, 6.0
"""Heights of a name and of a line that joins a group, pixels."""


class Diagram(NamedTuple):
    """Ranks of one δ and metric, best first."""

    heading: str
    names: list[str]
    ranks: list[float]
    critical: float
    p: float
    groups: list[tuple[int, int, int]]
    """First and last place of each group, and the row that its line is drawn in."""


def critical_differences(results: Results, number: int) -> Figure | None:
    """Figure 14: one diagram per metric at the lowest, a middle and the highest δ."""
    study = studies.tradeoff(results)
    if study is None or results["rankings"].empty:
        return None
    rows = results.at(study.name)["rankings"]
    rows = rows[rows["critical_difference"].notna()]
    if rows.empty:
        return None
    diagrams = [
        _diagram(at(rows, study.name, delta=delta), delta, metric)
        for delta in _few(study.deltas)
        for metric in METRICS
    ]
    caption = (
        f"Experiment {study.name}: {study.words}, {study.streams}. Mean rank of each algorithm "
        "over replicates; rank 1, at the left, is best. Bars below the axis join algorithms "
        "that do not differ significantly (Nemenyi's test at 5 %): their mean ranks are closer "
        "than the critical difference, shown above the axis. p: Friedman's test of equal ranks."
    )
    alt = " ".join(map(_sentence, diagrams))
    return compose(NAME, number, TITLE, caption, alt, lambda width: _draw(diagrams, width))


def _few(deltas: list[float]) -> list[float]:
    """The lowest, a middle and the highest δ above 0; all δ if there are fewer."""
    choices = [delta for delta in deltas if delta > 0] or deltas or [math.nan]
    return list(dict.fromkeys([choices[0], choices[len(choices) // 2], choices[-1]]))


def _diagram(rows: pd.DataFrame, delta: float, metric: str) -> Diagram:
    mine = rows[rows["metric"] == metric].sort_values("mean_rank", kind="stable")
    where = "recorded traces" if math.isnan(delta) else f"δ = {delta:g}"
    return Diagram(
        f"{METRICS[metric]}, {where}",
        [str(name) for name in mine["algorithm"]],
        [float(rank) for rank in mine["mean_rank"]],
        float(mine["critical_difference"].iloc[0]),
        float(mine["p"].iloc[0]) if mine["p"].notna().all() else math.nan,
        _rows_of_groups(mine.to_dict("records")),
    )


def _rows_of_groups(rows: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    """Places of each group, in the first row where its line touches no other."""
    members: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        for number in row["groups"]:
            members.setdefault(int(number), []).append(place)
    ends: list[int] = []
    places = []
    for number in sorted(members):
        first, last = members[number][0], members[number][-1]
        level = next((i for i, end in enumerate(ends) if end < first), len(ends))
        ends[level : level + 1] = [last]
        places.append((first, last, level))
    return places


def _sentence(diagram: Diagram) -> str:
    ranked = [f"{n} {r:.1f}" for n, r in zip(diagram.names, diagram.ranks, strict=True)]
    joined = [
        f"{diagram.names[first]} to {diagram.names[last]}" for first, last, _ in diagram.groups
    ]
    together = f" No two differ among {numbers.listing(joined)}." if joined else " All differ."
    return (
        f"{diagram.heading}: {numbers.listing(ranked)}; critical difference"
        f" {diagram.critical:.2f}.{together}"
    )


def _draw(diagrams: list[Diagram], width: float) -> tuple[list[str], float]:
    columns = 2 if width >= WIDE else 1
    cell, top = width / columns, 0.0
    drawn: list[str] = []
    for start in range(0, len(diagrams), columns):
        line = diagrams[start : start + columns]
        for i, diagram in enumerate(line):
            drawn += _one(diagram, i * cell, top, cell)
        top += max(map(_height, line))
    return drawn, top


def _height(diagram: Diagram) -> float:
    levels = 1 + max((level for *_, level in diagram.groups), default=0)
    return 84 + BAR * levels + ROW * math.ceil(len(diagram.names) / 2)


def _one(diagram: Diagram, left: float, top: float, width: float) -> list[str]:
    count = len(diagram.names)
    scale = Scale(1.0, max(count, 2), left + MARGIN, left + width - MARGIN)
    axis = top + 64
    drawn = [
        svg.text(left + 8, top + 14, diagram.heading, "panel"),
        *_critical(diagram, scale, top),
    ]
    p = diagram.p
    if not math.isnan(p):
        words = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
        drawn.append(svg.text(left + width - 8, top + 14, words, "label", "end"))
    drawn.append(svg.line(scale.start, axis, scale.end, axis, "axis"))
    for tick in scale.ticks(7):
        drawn.append(svg.line(scale(tick), axis - 4, scale(tick), axis, "axis"))
        drawn.append(svg.text(scale(tick), axis - 7, f"{tick:g}", "tick", "middle"))
    for first, last, level in diagram.groups:
        y = axis + 5 + BAR * level
        ends = scale(diagram.ranks[first]) - 2, scale(diagram.ranks[last]) + 2
        drawn.append(svg.line(ends[0], y, ends[1], y, "joined"))
    levels = 1 + max((level for *_, level in diagram.groups), default=0)
    return drawn + _names(diagram, scale, axis, axis + BAR * levels + 14)


def _critical(diagram: Diagram, scale: Scale, top: float) -> list[str]:
    """The critical difference as a bar, from the left end of the axis."""
    y, end = top + 38, scale(min(1.0 + diagram.critical, scale.high))
    bar = svg.line(scale.start, y, end, y, "axis")
    caps = [svg.line(x, y - 3, x, y + 3, "axis") for x in (scale.start, end)]
    words = f"critical difference {diagram.critical:.2f}"
    return [bar, *caps, svg.text(scale.start, y - 7, words, "label small")]


def _names(diagram: Diagram, scale: Scale, axis: float, first: float) -> list[str]:
    """Names with leaders to their ranks: the better half at the left, the worse at the right."""
    count = len(diagram.names)
    half = math.ceil(count / 2)
    drawn = []
    for place, (name, rank) in enumerate(zip(diagram.names, diagram.ranks, strict=True)):
        on_left = place < half
        y = first + ROW * (place if on_left else count - 1 - place)
        edge = scale.start - 8 if on_left else scale.end + 8
        x = scale(rank)
        drawn.append(svg.polyline([(x, axis), (x, y), (edge, y)], "leader"))
        end, side = (edge - 4, "end") if on_left else (edge + 4, "start")
        drawn.append(svg.text(end, y + 4, f"{name}", algorithm_style.look(name).text, side))
    return drawn
