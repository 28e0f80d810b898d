"""Tables of the report: strategies beside their predictions, response times, conditions."""

from __future__ import annotations

import math
from typing import Any

from pipeline.experiments.live.results.live_study import Quantity, Study
from pipeline.experiments.live.sections.agreement_tables import COLUMNS, metric, value_text
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.page_tables import Cell, Table
from schemas import metrics


def strategies(study: Study) -> Table:
    """What the broker did, and below it the predictions; bold where one of them differs."""
    rows = [
        (
            one.strategy,
            [
                *(_cell(name, one.quantities.get(name)) for name in COLUMNS),
                Cell(numbers.of_metric(_LONGEST, one.longest, unit=False)),
            ],
        )
        for one in study.ranked
    ]
    heads = [*(metric(name).head for name in COLUMNS), _LONGEST.head]
    return Table("", heads, rows, "Strategy")


_LONGEST = metrics.metric("live_max")


def _cell(name: str, cell: Quantity | None) -> Cell:
    if cell is None:
        return Cell(numbers.MISSING)
    below = [f"A {value_text(name, cell.by_assignment)}"]
    if not math.isnan(cell.by_queue):
        below.append(f"B {value_text(name, cell.by_queue)}")
    return Cell(value_text(name, cell.measured), tuple(below), bold=not cell.agrees)


_CONDITIONS = {
    "replicate": "stream",
    "load": "load",
    "unsound_iterations": "unsound",
    "faults": "faults",
    "sent": "records sent",
    "plans": "plans",
    "gap_p50_s": "median gap",
}


def conditions(study: Study) -> Table:
    """How each run went."""
    rows = [
        (row["strategy"], [Cell(_word(name, row[name])) for name in _CONDITIONS])
        for row in study.runs.to_dict("records")
    ]
    return Table("", list(_CONDITIONS.values()), rows, "Strategy")


def machine(study: Study) -> str:
    """Brokers, versions and cores."""
    first = study.runs.iloc[0]
    nodes = "1 broker" if first["nodes"] == 1 else f"{first['nodes']} brokers"
    return (
        f"{nodes}, Kafka {first['kafka_version']}, client {first['client_version']}, "
        f"{first['cores']} cores"
    )


def _word(name: str, value: Any) -> str:
    if name == "gap_p50_s":
        return numbers.MISSING if value is None else numbers.seconds(float(value))
    return numbers.fixed(float(value), 1) if name == "load" else numbers.count(float(value))
