"""The fronts of all experiments side by side, with the strategy of the answer, KEDA and fixed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from algorithms.autoscaling import strategies
from pipeline.experiments.autoscaling.sections import strategy_style
from pipeline.experiments.autoscaling.sections.figures.service_scale import served
from pipeline.experiments.autoscaling.sections.figures.trade_off_figure import front_line, panel_of
from pipeline.experiments.autoscaling.sections.scaling_study import (
    FIXED,
    REFERENCE,
    Row,
    Study,
    labelled,
)
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import Panel
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers

CELL = 196.0
"""Height of an experiment's panel with its heading and axis, in pixels."""


def overview(studies: Sequence[Study], best: str, number: int) -> Figure:
    """A small panel per experiment. best: Label that the answer names; "" for none."""
    named = f"{best} and " if best not in ("", REFERENCE) else ""
    caption = (
        "Events within the SLA, %, against replica-minutes, means over replicates. Up and left is "
        "better. Grey dots: all strategies and settings; line: the non-dominated ones of those "
        f"that see only the past. Marks: {named}{REFERENCE} with its defaults. Dashed: fixed "
        "groups."
    )
    return compose(
        "overview",
        number,
        "Service against cost in every experiment",
        caption,
        " ".join(_sentence(study, best) for study in studies),
        lambda width: _draw(studies, best, width),
    )


def _marked(study: Study, best: str) -> list[Row]:
    """The candidates with a mark."""
    rows = (labelled(study, label) for label in dict.fromkeys((REFERENCE, best)))
    return [row for row in rows if row is not None and not pd.isna(row["sla_percent"])]


def _sentence(study: Study, best: str) -> str:
    listed = [
        f"{row['label']} serves {served(row['sla_percent'])} at "
        f"{numbers.plain(row['replica_minutes'])} replica-minutes"
        for row in _marked(study, best)
    ]
    top = study.best
    listed.append(f"the best service is {served(top['sla_percent'])} with {top['label']}")
    return f"{study.name}: {numbers.listing(listed)}."


def _draw(studies: Sequence[Study], best: str, width: float) -> tuple[list[str], float]:
    columns = min(3, len(studies)) if width >= WIDE else 1
    cell = width / columns
    names = [name for name in dict.fromkeys((strategies.name_of(best), REFERENCE, FIXED)) if name]
    drawn, top = strategy_style.key(names, 8, 10, min(width - 16, 150.0 * len(names)))
    for i, study in enumerate(studies):
        left, upper = (i % columns) * cell, top + (i // columns) * CELL
        box = labels.Box(left + 58, upper + 32, left + cell - 12, upper + CELL - 34)
        drawn += _panel(study, best, box)
    return drawn, top + math.ceil(len(studies) / columns) * CELL


def _panel(study: Study, best: str, box: labels.Box) -> list[str]:
    panel, service = panel_of(study.rows, box)
    ticks = service.ticks()[-1::-2][::-1]
    words = dict(ticks)
    panel.axes(
        "", "", "{:g}".format, words.__getitem__, panel.x.ticks(4), [value for value, _ in ticks]
    )
    panel.add(svg.text(box.left - 50, box.top - 14, study.name, "panel"))
    with_events = study.rows.dropna(subset=["sla_percent"])
    for row in with_events.to_dict("records"):
        panel.add(_dot(panel, service(row["sla_percent"]), row))
    fixed = with_events[with_events["strategy"] == FIXED].sort_values(
        "replica_minutes", kind="stable"
    )
    line = [
        (panel.x(cost), service(sla))
        for cost, sla in zip(fixed["replica_minutes"], fixed["sla_percent"], strict=True)
    ]
    if len(line) > 1:
        panel.add(svg.polyline(line, f"{strategy_style.look(FIXED).line} faint"))
    front_line(panel, service, study.front)
    for row in _marked(study, best):
        look = strategy_style.look(str(row["strategy"]))
        place = (panel.x(row["replica_minutes"]), service(row["sla_percent"]))
        tip = f"{row['label']}: {served(row['sla_percent'])}"
        panel.add(svg.marker(look.mark, *place, look.point, tip, 5.0))
    return panel.parts


def _dot(panel: Panel, y: float, row: Row) -> str:
    return svg.circle(panel.x(row["replica_minutes"]), y, 1.8, "dot f-grey")
