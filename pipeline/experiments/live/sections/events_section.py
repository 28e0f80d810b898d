"""The section on events: how groups whose assignor asks get over them."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.experiments.live.evidence.served_records import OBJECTIVE_S
from pipeline.experiments.live.results import recovered_events
from pipeline.experiments.live.results.live_study import Study
from pipeline.experiments.live.results.recovered_events import QUANTITIES, RecoveredEvent
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import Cell, Field, Row, Section, Table, Values

TITLE = "When something happens"

_NOTE = (
    "On the broker, and below A by the simulated group; bold where they differ by more than 50 ms "
    "and 5 %. B: a replay of each record at the members that had its partition, which process what "
    "they have fetched of one partition before the next one. An event counts until the next one. "
    f"Late: processed more than {OBJECTIVE_S:g} s after it was due. Lag gone: the last late record "
    "is processed."
)


def group_events(study: Study) -> Section:
    """Events in the order in which they happened; empty without any."""
    every = list(recovered_events.events(study.recoveries))
    if not every:
        return Section()
    is_one = len({one.stream_id for one in every}) == 1
    head = "Event" if is_one else "Event, stream"
    # A table each: names of strategies are long, and would push the figures off the page.
    tables = [
        Table(
            strategy,
            head,
            _FIELDS,
            [_row(one, is_one) for one in every if one.strategy == strategy],
        )
        for strategy in dict.fromkeys(one.strategy for one in every)
    ]
    figures = [(one, name) for one in every for name in QUANTITIES]
    agreeing = sum(one.figures[f"{name}_agrees"] for one, name in figures)
    sentence = (
        f"Of {len(figures)} figures of {len(every)} events, {agreeing} agree with the simulated "
        f"group; {_lost(study)}."
    )
    return Section(TITLE, [sentence], tables, notes=[_NOTE])


def _row(one: RecoveredEvent, is_one_stream: bool) -> Row:
    name = one.event if is_one_stream else f"{one.event}, {one.stream_id}"
    return Row(name, one.figures, f"{one.stream_id}/{one.strategy}/{one.event}")


def _lost(study: Study) -> str:
    lost = int(study.integrity["lost"].sum())
    return "no record was lost" if not lost else f"{lost:,} records were lost"


def _field(head: str, key: str, written: Callable[[float], str]) -> Field:
    """A measured value, and below it the simulated and the replayed one."""

    def write(values: Values) -> Cell:
        below = tuple(f"{each} {written(values[f'{key}_{each.lower()}'])}" for each in "AB")
        return Cell(written(values[key]), below, bold=not values[f"{key}_agrees"])

    return Field(head, key, write, terminal=True, metric=f"live_{key}")


_FIELDS = (
    _field("late records", "late_events", numbers.count),
    _field("greatest age", "greatest_age_s", numbers.seconds),
    _field("lag gone after", "lag_gone_after_s", numbers.seconds),
)
