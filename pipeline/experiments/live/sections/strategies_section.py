"""The section on strategies: what the broker did, and below it the predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pipeline.experiments.live.results.live_study import MeasuredStrategy, Study
from pipeline.experiments.live.sections import short_names
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import Cell, Field, Row, Section, Table, Values, measured
from schemas.metric import Metric
from schemas.metrics import metric

QUANTITIES = {
    "consumers": "live_consumers",
    "migrations": "live_moves",
    "p50": "live_p50",
    "p90": "live_p90",
    "p99": "live_p99",
}
"""Quantities of `live_agreement`, and the metrics that say how they are shown."""

_NOTE = (
    "On the broker, and below by prediction A (simulated assignments) and B (replayed queues); "
    "bold where one of them differs. Latencies are medians over streams."
)


def strategies(study: Study) -> Section:
    """Strategies, the lowest latency first."""
    names = short_names.of(study)
    rows = [
        Row(
            one.strategy,
            dict(_values(one)),
            f"{study.name}/{one.strategy}",
            short=names[one.strategy],
        )
        for one in study.ranked
    ]
    notes = [*short_names.in_full(study), _NOTE]
    return Section("Strategies", tables=[Table("", "Strategy", _FIELDS, rows)], notes=notes)


def _values(one: MeasuredStrategy) -> Iterator[tuple[str, Any]]:
    for name, quantity in one.quantities.items():
        yield name, quantity.measured
        yield f"{name}_a", quantity.by_assignment
        yield f"{name}_b", quantity.by_queue
        yield f"{name}_agrees", quantity.agrees
    yield "longest", one.longest


def _field(name: str, item: Metric) -> Field:
    """A quantity with its predictions; strategies without records have no latencies."""

    def written(value: float) -> str:
        return numbers.of_metric(item, value, unit=False)

    def write(values: Values) -> Cell:
        if name not in values:
            return Cell(numbers.MISSING)
        below = [f"A {written(values[f'{name}_a'])}"]
        if values[f"{name}_b"] == values[f"{name}_b"]:
            below.append(f"B {written(values[f'{name}_b'])}")
        return Cell(written(values[name]), tuple(below), bold=not values[f"{name}_agrees"])

    return Field(item.head, name, write, terminal=True, metric=f"live_{name}")


def _unwritten(values: Values) -> Cell:
    return Cell("")


_FIELDS = (
    *(_field(name, metric(shown)) for name, shown in QUANTITIES.items()),
    measured(metric("live_max"), "longest"),
    Field("", "other_owners", _unwritten, metric="live_other_owners"),
)
