"""Tables of the report: strategies beside their predictions, response times, conditions."""

from __future__ import annotations

import math
from typing import Any

from pipeline.measured.agreement_tables import COLUMNS, metric, value_text
from pipeline.measured.controller_times import responses
from pipeline.measured.live_study import Quantity, Study
from pipeline.report import numbers
from pipeline.report.page_tables import Cell, Table


def strategies(study: Study) -> Table:
    """What the broker did, and below it the predictions; bold where one of them differs."""
    rows = [
        (one.strategy, [_cell(name, one.quantities.get(name)) for name in COLUMNS])
        for one in study.ranked
    ]
    return Table("", [metric(name).head for name in COLUMNS], rows, "Strategy")


def _cell(name: str, cell: Quantity | None) -> Cell:
    if cell is None:
        return Cell(numbers.MISSING)
    below = [f"A {value_text(name, cell.by_assignment)}"]
    if not math.isnan(cell.by_queue):
        below.append(f"B {value_text(name, cell.by_queue)}")
    return Cell(value_text(name, cell.measured), tuple(below), bold=not cell.agrees)


def response_times(study: Study) -> Table:
    """Times of the controller's plans, with published ones."""
    head = ["plans", "median", "90 %", "maximum", "published", "required"]
    rows = [
        (
            one.name,
            [
                Cell(numbers.count(one.plans)),
                *(Cell(numbers.seconds(value)) for value in (one.median, one.p90, one.largest)),
                Cell(one.published or numbers.MISSING),
                Cell(one.required or numbers.MISSING, (one.verdict,) if one.verdict else ()),
            ],
        )
        for one in responses(study)
    ]
    return Table("", head, rows, "Time")


_CONDITIONS = {
    "stream_id": "stream",
    "nodes": "brokers",
    "cores": "cores",
    "load": "load",
    "unsound_iterations": "unsound iterations",
    "faults": "faults",
    "sent": "records sent",
    "plans": "plans",
    "gap_p50_s": "median gap",
}


def conditions(study: Study) -> Table:
    """Under which conditions each strategy ran on each stream."""
    rows = [
        (row["strategy"], [Cell(_word(name, row[name])) for name in _CONDITIONS])
        for row in study.runs.to_dict("records")
    ]
    return Table("", list(_CONDITIONS.values()), rows, "Strategy")


def _word(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if name == "gap_p50_s":
        return numbers.MISSING if value is None else numbers.seconds(float(value))
    return numbers.fixed(float(value), 1) if name == "load" else numbers.count(float(value))
