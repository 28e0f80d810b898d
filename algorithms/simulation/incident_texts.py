"""Incidents as they are written: ``KIND@TIME:parameter=value``."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.input_errors import InvalidParameterError, near
from algorithms.core.setting import REQUIRED, declared
from algorithms.core.setting_checks import checked
from algorithms.simulation.incident_kinds import KINDS, Kind, Parameters

_LAST_HOUR, _LAST_MINUTE = 23, 59
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PART = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)([smhd]?)", re.ASCII)
_LENGTH = re.compile(r"(?:\d{1,12}(?:\.\d{1,6})?[smhd]){1,4}|\d{1,12}(?:\.\d{1,6})?", re.ASCII)
_TEXT = re.compile(
    r"(?P<kind>[^@:]*)"
    r"(?:@(?P<daily>daily@)?(?:(?P<moment>\d{4}-\d\d-\d\dT\d\d:\d\d)|(?P<clock>\d\d?:\d\d)"
    r"|(?P<offset>[^:@]*)))?"
    r"(?::(?P<parameters>.*))?",
    re.ASCII,
)

TIMES = "an offset such as 90m, a clock time such as 12:00, daily@12:00, or 2026-03-01T12:00"
FORM = "KIND@TIME:parameter=value, such as outage@12:00:15m or restart@daily@12:00:surge=1"


class When(NamedTuple):
    """When an incident happens; all None: at a time that is drawn."""

    offset_s: float | None = None
    """From the start of the workload, s."""
    clock_s: float | None = None
    is_daily: bool = False
    """`clock_s`, `is_daily`: a time of the day, s since midnight UTC: the first one, or each."""
    moment_s: float | None = None
    """A time, s since 1970 UTC."""


class Declared(NamedTuple):
    """An incident as it is written."""

    text: str
    kind: str
    when: When
    parameters: Parameters


def parse(text: str) -> Declared:
    """Read an incident.

    Raises InvalidParameterError if the text has another form, or a parameter is out of bounds.

    >>> parse("outage@90m:for=15m").parameters, parse("outage@90m:15m").when.offset_s
    (Outage(outage_s=900.0), 5400.0)
    >>> parse("restart@daily@12:00:surge=1,unavailable=0").when.is_daily
    True
    """
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise InvalidParameterError(f"{text}: must have the form {FORM}")
    name = match["kind"]
    if name not in KINDS:
        raise InvalidParameterError(
            f"{text}: the kind must be one of {', '.join(KINDS)} (got {name!r}){near(name, KINDS)}"
        )
    kind = KINDS[name]
    when = _when(text, match)
    if kind.lasts and when != When():
        raise InvalidParameterError(
            f"{text}: {name} holds for the whole workload; leave out its time"
        )
    return Declared(text, name, when, _parameters(text, kind, match["parameters"] or ""))


def seconds(text: str) -> float | None:
    """A length of time in s; None if the text is none.

    >>> seconds("15m"), seconds("1h30m"), seconds("2.5"), seconds("soon")
    (900.0, 5400.0, 2.5, None)
    """
    if not _LENGTH.fullmatch(text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def _when(text: str, match: re.Match[str]) -> When:
    if match["moment"] is not None or match["clock"] is not None:
        try:
            if match["moment"] is not None and not match["daily"]:
                return When(moment_s=float(np.datetime64(match["moment"], "s").astype(np.int64)))
            return When(clock_s=_clock_s(match["clock"] or ""), is_daily=bool(match["daily"]))
        except ValueError:
            raise InvalidParameterError(f"{text}: the time must be {TIMES}") from None
    if match["offset"] is None:
        return When()
    offset_s = seconds(match["offset"])
    if offset_s is None or match["daily"]:
        raise InvalidParameterError(f"{text}: the time must be {TIMES} (got {match['offset']!r})")
    return When(offset_s=offset_s)


def _clock_s(text: str) -> float:
    hour, minute = map(int, text.split(":"))
    if hour > _LAST_HOUR or minute > _LAST_MINUTE:
        raise ValueError("no time of a day")
    return 3600.0 * hour + 60.0 * minute


def _parameters(text: str, kind: Kind, written: str) -> Parameters:
    own = declared(kind.parameters)
    values: dict[str, Any] = {}
    for place, part in enumerate(part for part in re.split("[:,]", written) if part):
        name, sign, value = part.partition("=")
        if not sign and place == 0 and kind.names:
            name, value = next(iter(kind.names)), part
        if name not in kind.names:
            names = ", ".join(kind.names) or "none"
            raise InvalidParameterError(f"{text}: unknown parameter {name!r}; choose {names}")
        field = kind.names[name]
        if field in values:
            raise InvalidParameterError(f"{text}: {name} is given twice; leave out one")
        values[field] = _value(value, own[field].unit)
    for name, field in kind.names.items():
        if own[field].default is REQUIRED and field not in values:
            raise InvalidParameterError(
                f"{text}: needs {name}, {own[field].limits}, such as {text}:{name}=1000"
            )
    try:
        return checked(kind.parameters(**values))
    except InvalidParameterError as error:
        raise InvalidParameterError(f"{text}: {_named(str(error), kind)}") from None


def _value(text: str, unit: str) -> float | str:
    """A number, a length of time, or the text itself, which the check refuses or accepts."""
    length_s = seconds(text) if unit == "s" else None
    if length_s is not None:
        return length_s
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _named(message: str, kind: Kind) -> str:
    """A message with the parameter's name as users write it."""
    for name, field in kind.names.items():
        if message.startswith(f"{field} "):
            return f"{name}{message.removeprefix(field)}"
    return message
