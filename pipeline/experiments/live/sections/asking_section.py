"""The section on groups whose assignor asks: service and cost, simulated beside measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from live.live_settings import HASHED
from live.strategy_kinds import is_asking
from pipeline.experiments.live.evidence.served_records import OBJECTIVE_S
from pipeline.experiments.live.results.live_study import MeasuredStrategy, Study
from pipeline.experiments.live.sections import short_names
from pipeline.experiments.live.sections.figures import ASKING_FIGURES
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import (
    Cell,
    Field,
    Row,
    Section,
    Table,
    Values,
    charts,
    number,
)
from schemas.tables.live.live_agreement import SERVICE

TITLE = "A group whose assignor asks"

_NOTE = (
    "On the broker, and below by prediction A, the simulated group. Means over streams. Latency "
    "lasts from when a record is due until it is processed."
)


def asking(study: Study) -> Section:
    """Groups whose assignor asks, in the order of the configuration; empty without any."""
    groups = [one for one in study.outcomes if is_asking(one.strategy)]
    if not groups:
        return Section()
    names = short_names.of(study)
    rows = [
        Row(one.strategy, dict(_values(study, one)), short=names[one.strategy]) for one in groups
    ]
    table = Table("", "Strategy", _FIELDS, rows)
    drawings = charts(ASKING_FIGURES, study)
    return Section(TITLE, [_sentence(study, groups)], [table], drawings, notes=[_NOTE])


def _sentence(study: Study, groups: list[MeasuredStrategy]) -> str:
    """What the setting is, and where simulation and broker are furthest apart."""
    own = study.setting
    hashed = " with hashed keys" if own["keys"] == HASHED else ""
    first = (
        f"Records arrive {_ARRIVALS[own['arrivals']]}{hashed}, members' heartbeat is "
        f"{own['heartbeat_s']:g}{numbers.SPACE}s, partitions are revoked in "
        f"{own['revoke_s']:g}{numbers.SPACE}s."
    )
    apart = [(abs(_error(one)), one) for one in groups if math.isfinite(_error(one))]
    if not apart:
        return first
    _, furthest = max(apart, key=lambda pair: pair[0])
    share = furthest.quantities["sla_percent"]
    return (
        f"{first} Simulated and measured shares of records within {OBJECTIVE_S:g}{numbers.SPACE}s "
        f"are furthest apart with {furthest.strategy}: "
        f"{numbers.fixed(share.by_assignment, 1)} and {numbers.fixed(share.measured, 1)}"
        f"{numbers.SPACE}%."
    )


_ARRIVALS = {
    "even": "evenly",
    "bursts": "in a burst each second",
    "drift": "in bursts, each a second after the one before was sent",
}


def _error(one: MeasuredStrategy) -> float:
    share = one.quantities.get("sla_percent")
    return math.nan if share is None else share.measured - share.by_assignment


def _values(study: Study, one: MeasuredStrategy) -> Iterator[tuple[str, Any]]:
    for name in SERVICE:
        quantity = one.quantities.get(name)
        yield name, math.nan if quantity is None else quantity.measured
        yield f"{name}_a", math.nan if quantity is None else quantity.by_assignment
    own = study.runs[study.runs["strategy"] == one.strategy]
    for name in ("n_up", "n_down", "rebalances", "moves"):
        yield name, _mean(own[name])


def _mean(values: pd.Series) -> float:
    return float(values.astype(float).mean()) if len(values) else math.nan


def _beside(head: str, key: str, written: Callable[[float], str]) -> Field:
    """A measured value, and below it the simulated one."""

    def write(values: Values) -> Cell:
        below = values[f"{key}_a"]
        lines = () if math.isnan(below) else (f"A {written(below)}",)
        return Cell(written(values[key]), lines)

    return Field(head, key, write, terminal=True)


_FIELDS = (
    _beside("in time, %", "sla_percent", lambda value: numbers.fixed(value, 2)),
    _beside("replica-minutes", "replica_minutes", lambda value: numbers.fixed(value, 2)),
    _beside("longest", "peak_s", numbers.seconds),
    number("up", "n_up", 1),
    number("down", "n_down", 1),
    number("rebalances", "rebalances", 1),
    number("partitions moved", "moves", 1),
)
