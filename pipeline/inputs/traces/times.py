"""Parses and orders times as written in traces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from pipeline.base.text.quoting import shown
from pipeline.inputs.traces import epochs
from pipeline.inputs.traces.model import Times

Key = tuple[Any, ...]
"""What a time is compared by; keys of one column have the same kinds of parts."""

_NUMBER = re.compile(r"[-+]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][-+]?[0-9]{1,2})?")
# Digits beyond the microsecond, which datetime would drop.
_FINE = re.compile(r"(?<=[.,][0-9]{6})[0-9]{1,12}")
_DATE = re.compile(r"[0-9]{4}-.*")

_LOCAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+")

KINDS = "an integer, epoch seconds or ISO 8601 such as 2024-05-01T12:00:30Z"


class TimeError(ValueError):
    """A text that is not a time; ``position`` is its place in the list."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(message)
        self.position = position


class Ranked(NamedTuple):
    """Times of a file in order."""

    ranks: list[int]
    """Index of each text among the distinct times, from 0."""
    times: Times
    """The distinct times."""


def ranks(column: str, texts: Sequence[str], timestamps: str | None = None) -> Ranked:
    """Put times in ascending order.

    column: ``timestamp`` or ``iteration``; the latter holds integers.
    texts: Times as written. Different texts can be the same time, such as ``1`` and ``1.0``.
    timestamps: Unit of times that are numbers, one of `epochs.UNITS`; None to recognise it.
    Raises TimeError if a text is not a time, times of different kinds are mixed, or the unit of
        numbers cannot be known.

    >>> found = ranks("timestamp", ["10", "9", "9.0"])
    >>> found.ranks, found.times.at, found.times.first
    ([1, 0, 0], array([0., 1.]), '9')
    """
    parse = _parser(column, texts)
    keys = [_key(parse, position, text) for position, text in enumerate(texts)]
    texts_of = dict(zip(reversed(keys), reversed(texts), strict=True))
    distinct = sorted(texts_of)
    order = {key: rank for rank, key in enumerate(distinct)}
    at = np.array([_since(distinct[0], key) for key in distinct])
    first, last = texts_of[distinct[0]].strip(), texts_of[distinct[-1]].strip()
    stamps = Times(column, at, first, last)
    if column == "timestamp" and parse is _number:
        numbers = [key[0] for key in distinct]
        stamps = as_seconds(stamps, numbers, timestamps, position=keys.index(distinct[0]))
    return Ranked([order[key] for key in keys], stamps)


def as_seconds(
    times: Times, numbers: Sequence[Decimal | int], timestamps: str | None, position: int = 0
) -> Times:
    """Times in seconds of times that are numbers of any unit.

    times: Times whose ``at`` are in the unit of the numbers.
    numbers: The distinct numbers, ascending.
    timestamps: Their unit, one of `epochs.UNITS`; None to recognise it.
    position: Place of the first one in the file's list, for the error.
    Raises TimeError if the unit cannot be known.
    """
    try:
        unit = epochs.unit_of(numbers, timestamps)
    except epochs.UnitError as error:
        raise TimeError(position, f"numbers {error} (got {shown(times.first)})") from None
    parts = epochs.UNITS[unit]
    if parts == 1:
        return times
    first, last = (_plain(Decimal(number) / parts) for number in (numbers[0], numbers[-1]))
    notes = tuple(filter(None, [epochs.note(unit, timestamps)]))
    return replace(times, at=times.at / parts, first=first, last=last, notes=notes)


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def repeated_hint(text: str) -> str:
    """What to do about a time that occurs twice, to end a message; empty if nothing is known."""
    if _LOCAL.fullmatch(text.strip()) is None:
        return ""
    return (
        ", or write times in UTC (with Z): an hour without a time zone occurs twice when daylight "
        "saving time ends"
    )


def _since(start: Key, key: Key) -> float:
    """Distance of a time from the first one, in seconds or iterations, with double precision."""
    passed = key[0] - start[0]
    if len(key) == 1:
        return float(passed)
    fine = Decimal(int(key[1]) - int(start[1])) / 10**18
    return float(
        passed.days * 86_400 + passed.seconds + Decimal(passed.microseconds) / 10**6 + fine
    )


def _parser(column: str, texts: Sequence[str]) -> Callable[[str], Key]:
    """Parser of the times of a column, chosen by the kind of the first one."""
    first = texts[0].strip() if texts else ""
    if column == "iteration":
        return _whole
    if _NUMBER.fullmatch(first):
        return _number
    try:
        zoned = _moment(first)[0].tzinfo is not None
    except ValueError:
        # The first text is of no known kind: parsing it raises the error.
        return _any
    return _zoned if zoned else _local


def _key(parse: Callable[[str], Key], position: int, text: str) -> Key:
    try:
        return parse(text.strip())
    except (ValueError, OverflowError) as error:
        requirement = error.args[0] if isinstance(error, _WrongKind) else f"must be {KINDS}"
        raise TimeError(position, f"{requirement} (got {shown(text)})") from None


class _WrongKind(ValueError):
    """A text of another kind than the first value of its column; names the expected kind."""


def _number(text: str) -> Key:
    if not _NUMBER.fullmatch(text):
        raise _WrongKind("must be a number, like the first value of this column")
    return (Decimal(text),)


def _whole(text: str) -> Key:
    value = Decimal(text) if _NUMBER.fullmatch(text) else None
    if value is None or value != value.to_integral_value():
        raise _WrongKind("must be an integer")
    return (value,)


def _zoned(text: str) -> Key:
    moment, rest = _moment(text)
    if moment.tzinfo is None:
        raise _WrongKind("must have a time zone, like the first value of this column")
    return (moment, rest)


def _local(text: str) -> Key:
    moment, rest = _moment(text)
    if moment.tzinfo is not None:
        raise _WrongKind("must not have a time zone, like the first value of this column")
    return (moment, rest)


def _any(text: str) -> Key:
    raise ValueError(text)


def _moment(text: str) -> tuple[datetime, str]:
    """A point in time, and its digits beyond the microsecond, padded for comparison."""
    if not _DATE.fullmatch(text):
        raise ValueError(text)
    fine = _FINE.search(text)
    moment = datetime.fromisoformat(_FINE.sub("", text, count=1))
    return moment, (fine[0] if fine else "").ljust(12, "0")
