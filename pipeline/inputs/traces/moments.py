"""Points in time as texts: read from what metric tools print, and written in the same kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

from pipeline.inputs.traces import epochs
from pipeline.inputs.traces.model import Times

Writer = Callable[[float], str]

KINDS = "2024-05-01T12:00:30Z, 2024-05-01 12:00:30 or seconds (or ms) since 1970"

_NUMBER = re.compile(r"[0-9]{1,20}(\.[0-9]{1,9})?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9].*", re.ASCII)
_PRINTED = re.compile(r"[A-Z][a-z]{2} [0-9A-Za-z: ]{8,40}", re.ASCII)
_DATES = (
    "%a %b %d %H:%M:%S UTC %Y",
    "%a %b %d %I:%M:%S %p UTC %Y",
    "%a %d %b %Y %I:%M:%S %p UTC",
    "%a %d %b %H:%M:%S UTC %Y",
)
"""What ``date -u`` prints: everywhere; in American English today, and earlier; in British English.
"""
_BEYOND = re.compile(r"(?<=[.,][0-9]{6})[0-9]{1,12}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock:
    """Reads times of one file, all with a time zone or all without.

    timestamps: Unit of times that are numbers, one of `epochs.UNITS`; None to recognise it.
    """

    def __init__(self, timestamps: str | None = None) -> None:
        self._is_local: bool | None = None
        self._timestamps = timestamps
        self._unit = ""

    def seconds(self, text: str) -> float:
        """Seconds since 1970; times without a time zone count as UTC.

        Besides `KINDS`, takes what ``date -u`` prints: ``Wed May  1 12:00:30 UTC 2024``, or
        ``Wed May  1 12:00:30 PM UTC 2024``.

        Raises ValueError if it is no time, or another one of the file differs in having a time
            zone.
        """
        if _NUMBER.fullmatch(text):
            return self._number(Decimal(text))
        if _PRINTED.fullmatch(text):
            return self._passed(_parsed(lambda: _printed(text)))
        if not _DATE.fullmatch(text):
            raise ValueError(f"must be {KINDS}")
        return self._passed(_parsed(lambda: datetime.fromisoformat(text)))

    def _number(self, number: Decimal) -> float:
        try:
            unit = epochs.unit_of([number], self._timestamps)
        except epochs.UnitError as error:
            raise ValueError(f"must be {KINDS}; {epochs.SAY}") from error
        if self._unit not in ("", unit):
            raise ValueError(f"must be in {epochs.NAMES[self._unit]}, like the first")
        self._unit = unit
        return float(number / epochs.UNITS[unit])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed about the times that were read."""
        said = epochs.note(self._unit or "s", self._timestamps)
        return (said,) if said else ()

    def text(self, seconds: float) -> str:
        """Seconds since 1970 as ISO 8601, with a time zone if the file has one."""
        text = iso(seconds)
        return text.removesuffix("Z") if self._is_local else text

    def _passed(self, moment: datetime) -> float:
        is_local = moment.tzinfo is None
        if self._is_local not in (None, is_local):
            raise ValueError(f"must have {'a' if is_local else 'no'} time zone, like the first")
        self._is_local = is_local
        return ((moment.replace(tzinfo=UTC) if is_local else moment) - _EPOCH).total_seconds()


def _printed(text: str) -> datetime:
    """A time that ``date -u`` has printed."""
    for form in _DATES:
        with suppress(ValueError):
            return datetime.strptime(text.replace("GMT", "UTC"), form).replace(tzinfo=UTC)
    raise ValueError(text)


def _parsed(parse: Callable[[], datetime]) -> datetime:
    try:
        return parse()
    except ValueError:
        raise ValueError(f"must be {KINDS}") from None


def iso(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC, without digits that are 0."""
    try:
        return _shortest(_EPOCH + timedelta(seconds=seconds))
    except OverflowError:
        return f"{seconds:.15g}"


def started_at(times: Times) -> datetime | None:
    """The first time in UTC; None for numbers that do not count from 1970."""
    if not times.in_seconds:
        return None
    try:
        number = float(times.first)
    except ValueError:
        return _date(times.first)
    if not epochs.SINCE_1970 <= number < 10 * epochs.SINCE_1970:
        return None
    return _EPOCH + timedelta(seconds=round(number, 6))


def _date(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(_BEYOND.sub("", text, count=1))
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def writer(times: Times) -> Writer:
    """Function that writes a time, in s or iterations since the first, as the file has it."""
    first = times.first
    try:
        number = Decimal(first)
    except InvalidOperation:
        pass
    else:
        return lambda since: f"{number + Decimal(repr(since)).normalize():f}"
    try:
        moment = datetime.fromisoformat(first)
    except ValueError:
        return lambda since: f"{since:.15g}"
    return lambda since: _shortest(moment + timedelta(seconds=since))


def _shortest(moment: datetime) -> str:
    """ISO 8601 to the microsecond, without a fraction that is 0, and Z for UTC."""
    text = moment.isoformat(timespec="microseconds" if moment.microsecond else "seconds")
    return text.replace("+00:00", "Z")
