"""Service against cost: every candidate of an experiment, each strategy's sweep as a curve."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from pipeline.experiments.autoscaling.sections import strategy_style
from pipeline.experiments.autoscaling.sections.figures.service_scale import ServiceScale, served
from pipeline.experiments.autoscaling.sections.scaling_study import Study
from pipeline.reporting.drawing import labels, svg
from pipeline.reporting.drawing.axes import Panel, Scale, room_above
from pipeline.reporting.drawing.figure import WIDE, Figure, compose
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

HEIGHT = 400.0
"""Height of the panel with its axes, in pixels."""

APART = 16.0
"""Least distance of marks that are both named, in pixels."""


def trade_off(_results: Results, study: Study, number: int) -> Figure | None:
    """Events within the SLA against replica-minutes."""
    bars = "; bars are 95 % intervals" if study.replicates > 1 else ""
    wsla = f"{study.setting['wsla_s']:g}{numbers.SPACE}s"
    caption = (
        f"Experiment {study.name}. Up and left is better. Events served within {wsla}, on an axis "
        "that gives each further nine the same room, against paid replicas over time. Means over "
        f"{study.streams}{bars}. Curves join a strategy's settings in order of cost. The grey line "
        f"joins the non-dominated candidates{_known(study)}. They are named, one of those close "
        "together, with the value of their main parameter. Hover over a mark to see its full name "
        "and values."
    )
    return compose(
        f"trade-off-{number}",
        number,
        "Events within the SLA against replica-minutes",
        caption,
        _alt(study.front),
        lambda width: _draw(study.rows, width),
    )


def _known(study: Study) -> str:
    """Which strategies the front leaves out."""
    names = sorted(set(study.references["strategy"]))
    return f", without {numbers.listing(names)}, which must know rates beforehand" if names else ""


def _alt(front: pd.DataFrame) -> str:
    listed = [
        f"{row['label']} ({served(row['sla_percent'])}, "
        f"{numbers.plain(row['replica_minutes'])} replica-minutes)"
        for row in front.to_dict("records")
    ]
    return f"On the front, from best service to lowest cost: {numbers.listing(listed)}."


def _draw(rows: pd.DataFrame, width: float) -> tuple[list[str], float]:
    key, room = strategy_style.key(rows["strategy"], 46, HEIGHT + 8, width - 60)
    panel, service = panel_of(rows, labels.Box(46, 34, width - 14, HEIGHT - 48))
    ticks = service.ticks()
    words = dict(ticks)
    panel.axes(
        "replica-minutes",
        "events within the SLA, %",
        "{:g}".format,
        words.__getitem__,
        y_ticks=[value for value, _ in ticks],
    )
    front_line(panel, service, rows[rows["on_front"]])
    for row in rows.dropna(subset=["sla_percent"]).to_dict("records"):
        panel.add(*_bars(panel, service, row))
    for strategy in strategy_style.ordered(rows["strategy"]):
        _sweep(panel, service, rows[rows["strategy"] == strategy], tips=width >= WIDE)
    _names(panel, service, rows)
    return [*panel.parts, *key], HEIGHT + room + 4


def panel_of(rows: pd.DataFrame, box: labels.Box) -> tuple[Panel, ServiceScale]:
    """A panel that has room for candidates, and its scale of service."""
    cost = rows["replica_minutes"].astype(float)
    end = room_above(list(cost))
    start = 0.0 if cost.min() < 0.4 * end else 0.9 * float(cost.min())
    service = ServiceScale.of(rows["sla_percent"].astype(float), box.bottom, box.top)
    scale = Scale(start, end, box.left + 6, box.right)
    return Panel(*box, scale, service.late), service


def front_line(panel: Panel, service: ServiceScale, rows: pd.DataFrame) -> None:
    """Stairs through the front, out to the edges of what it dominates."""
    with_events = rows.dropna(subset=["sla_percent"]).sort_values("replica_minutes", kind="stable")
    places = [
        (panel.x(cost), service(sla))
        for cost, sla in zip(
            with_events["replica_minutes"], with_events["sla_percent"], strict=True
        )
    ]
    if not places:
        return
    stairs = [(places[0][0], panel.bottom)]
    for x, y in places:
        stairs += [(x, stairs[-1][1]), (x, y)]
    panel.add(svg.polyline([*stairs, (panel.right, stairs[-1][1])], "front"))


def _sweep(panel: Panel, service: ServiceScale, rows: pd.DataFrame, tips: bool) -> None:
    """The candidates of one strategy, joined in order of cost."""
    with_events = rows.dropna(subset=["sla_percent"])
    records = with_events.sort_values(["replica_minutes", "sla_percent"], kind="stable").to_dict(
        "records"
    )
    if not records:
        return
    look = strategy_style.look(str(records[0]["strategy"]))
    places = [(panel.x(row["replica_minutes"]), service(row["sla_percent"])) for row in records]
    if len(places) > 1:
        panel.add(svg.polyline(places, f"{look.line} faint"))
    for row, (x, y) in zip(records, places, strict=True):
        tip = _tip(row) if tips else ""
        panel.add(svg.marker(look.mark, x, y, look.point, tip, 4.0 if row["on_front"] else 2.8))


def _bars(panel: Panel, service: ServiceScale, row: dict[str, Any]) -> list[str]:
    """Intervals of both figures, those that are wider than a line; faint off the front."""
    x, y = panel.x(row["replica_minutes"]), service(row["sla_percent"])
    css = strategy_style.look(str(row["strategy"])).bar + " faint" * (not row["on_front"])
    ends = [float(row[f"{name}_{end}"]) for name in _DRAWN for end in ("low", "high")]
    if not all(map(math.isfinite, ends)):
        return []
    left, right = (panel.x(value) for value in ends[:2])
    low, high = (service(value) for value in ends[2:])
    lines = []
    if right - left > 1:
        lines.append(svg.line(left, y, right, y, css))
    if low - high > 1:
        lines.append(svg.line(x, low, x, high, css))
    return lines


_DRAWN = ("replica_minutes", "sla_percent")


def _tip(row: dict[str, Any]) -> str:
    return (
        f"{row['label']}: {served(row['sla_percent'])} within the SLA"
        f"{_interval(row, 'sla_percent')}; {numbers.plain(row['replica_minutes'], 4)} "
        f"replica-minutes{_interval(row, 'replica_minutes')}"
    )


def _interval(row: dict[str, Any], column: str) -> str:
    low, high = (numbers.plain(float(row[f"{column}_{end}"]), 4) for end in ("low", "high"))
    return "" if low == high else f" ({low} to {high})"


def _names(panel: Panel, service: ServiceScale, rows: pd.DataFrame) -> None:
    """Names of the candidates on the front, of those close together the first."""
    front = rows[rows["on_front"]].dropna(subset=["sla_percent"])
    records: list[dict[str, Any]] = []
    places: list[svg.Point] = []
    for row in front.to_dict("records"):
        x, y = panel.x(row["replica_minutes"]), service(row["sla_percent"])
        if all(max(abs(x - left), abs(y - top)) >= APART for left, top in places):
            records.append(row)
            places.append((x, y))
    names = [strategy_style.short(row) for row in records]
    looks = {
        name: strategy_style.look(str(row["strategy"]))
        for name, row in zip(names, records, strict=True)
    }
    bounds = labels.Box(panel.left, panel.top - 4, panel.right, panel.bottom)
    for label in labels.apart(labels.place(names, places, bounds, 11.0, [])):
        panel.add(label.drawn(f"name small bold t-{looks[label.text].colour}"))
