"""Events that strategies are compared in, as a field of an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pipeline.base.text.quoting import named, shown
from pipeline.settings.field_checks import FieldError

if TYPE_CHECKING:
    from algorithms.simulation.incident_texts import Declared

ALL = "all"
"""Stands for events of all kinds (`algorithms.simulation.incident_kinds.Kind.tried`)."""

_FIELD = "events"
_MOST = 100


def check(field: str, value: object) -> tuple[str, ...]:
    """Events as texts. Raises FieldError if one cannot be read, has a time, or is there twice."""
    items = list(value) if isinstance(value, list | tuple) else [value]
    if not 1 <= len(items) <= _MOST:
        raise FieldError(f"`{field}` must have 1 to {_MOST} events (got {len(items)})", field)
    texts = []
    for i, item in enumerate(items):
        if not isinstance(item, str):
            raise FieldError(
                f"`{field}[{i}]` must be an event such as outage:15m (got {shown(item)})", field
            )
        texts.append(item.strip())
    every = [one.text for one in declared(texts, 1.0)]
    repeated = next((text for text in every if every.count(text) > 1), None)
    if repeated is not None:
        within = f", once in {ALL}" if ALL in texts else ""
        raise FieldError(f"`{field}` contains {named(repeated)} twice{within}; remove one", field)
    return tuple(texts)


def declared(texts: Sequence[str], busy_rate: float) -> list[Declared]:
    """Events of texts.

    busy_rate: Mean rate of the busiest hour, on which the limit of `ALL` depends, events/s.
    Raises FieldError if one is none.
    """
    from algorithms.core.input_errors import AlgorithmError
    from algorithms.simulation import incident_texts
    from algorithms.simulation.incident_texts import When

    events = []
    for text in texts:
        for each in _of_all_kinds(busy_rate) if text == ALL else (text,):
            try:
                event = incident_texts.parse(each)
            except AlgorithmError as error:
                raise FieldError(f"`{_FIELD}`: {error}", _FIELD) from None
            if event.when != When():
                raise FieldError(
                    f"`{_FIELD}`: {event.text}: happens at the busiest hour; leave out its time",
                    _FIELD,
                )
            events.append(event)
    return events


def _of_all_kinds(busy_rate: float) -> Iterator[str]:
    from algorithms.simulation.incident_kinds import KINDS, TRIED_SHARE

    for name, kind in KINDS.items():
        for own in kind.tried:
            parameters = own.format(rate=f"{TRIED_SHARE * busy_rate:.3g}")
            yield f"{name}:{parameters}".rstrip(":")


def check_length(texts: Sequence[str], length_s: float) -> None:
    """Raise `FieldError` if an event does not fit a workload of that length."""
    from algorithms.core.input_errors import AlgorithmError
    from algorithms.simulation import incident_times
    from algorithms.simulation.incident_times import RETENTION_S, Recording

    for event in declared(texts, 1.0):
        try:
            incident_times.placed([event], Recording(length_s), RETENTION_S)
        except AlgorithmError as error:
            raise FieldError(f"`{_FIELD}`: {error}", _FIELD, "iterations", "step_s") from None
