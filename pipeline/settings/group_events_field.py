"""Events that happen to a live group, as a field of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.base.text.quoting import named, shown
from pipeline.settings.field_checks import FieldError

if TYPE_CHECKING:
    from algorithms.simulation.incident_texts import Declared

_FIELD = "group_events"
_MOST = 20


def check(field: str, value: object) -> tuple[str, ...]:
    """Events as texts. Raises FieldError if one cannot be read, or a live run does not have it."""
    single = [] if value in (None, "") else [value]
    items = list(value) if isinstance(value, list | tuple) else single
    if len(items) > _MOST:
        raise FieldError(f"`{field}` must have at most {_MOST} events (got {len(items)})", field)
    for i, item in enumerate(items):
        if not isinstance(item, str):
            raise FieldError(
                f"`{field}[{i}]` must be an event such as outage@30s:10s (got {shown(item)})", field
            )
    return tuple(one.text for one in _declared([str(item).strip() for item in items]))


def _declared(texts: Sequence[str]) -> list[Declared]:
    from algorithms.core.input_errors import AlgorithmError
    from algorithms.simulation import incident_texts
    from live.asking.group_incidents import CARRIED_OUT

    events = []
    for text in texts:
        try:
            event = incident_texts.parse(text)
        except AlgorithmError as error:
            raise FieldError(f"`{_FIELD}`: {error}", _FIELD) from None
        if event.kind not in CARRIED_OUT:
            kinds = ", ".join(CARRIED_OUT)
            raise FieldError(
                f"`{_FIELD}`: {text}: {event.kind} is simulated only; choose one of {kinds}", _FIELD
            )
        events.append(event)
    return events


def check_run(texts: Sequence[str], length_s: float, strategies: Sequence[str]) -> None:
    """Raise `FieldError` if an event does not fit the run, or a group cannot have it."""
    from algorithms.core.input_errors import AlgorithmError
    from algorithms.simulation import incident_times
    from algorithms.simulation.incident_times import RETENTION_S, Recording
    from live.strategy_kinds import ASKING, is_asking

    other = next((name for name in strategies if not is_asking(name)), None)
    if other is not None:
        raise FieldError(
            f"`{_FIELD}` applies to groups that ask (got strategy {named(other)}); write "
            f"{ASKING}STRATEGY, or leave out events",
            _FIELD,
            "strategies",
        )
    try:
        incident_times.placed(_declared(texts), Recording(length_s), RETENTION_S)
    except AlgorithmError as error:
        raise FieldError(
            f"`{_FIELD}`: {error}", _FIELD, "iterations", "iteration_seconds"
        ) from None
