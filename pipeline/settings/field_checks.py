"""Checks of single fields of a configuration.

Each check takes the field's name and the raw value, from a command line, YAML or JSON, and
returns the normalized value or raises `FieldError`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import BeforeValidator, ValidationInfo

from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import Declaration, SettingError
from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_ALGORITHMS, MAX_DELTAS
from pipeline.base.text import quantities
from pipeline.base.text.quoting import named, shown

REFERENCE = "reference"
"""Stands for the paper's twelve algorithms in a list of them."""

STARTS = ("uniform", "0", "50", "100")
"""Start conditions: speeds drawn from 0 to 100 % of the capacity, or all the same."""

BYTES = " bytes/s"
EVENTS = " events/s"
"""Units of fields, as in messages."""

_RATES = (BYTES.strip(), EVENTS.strip())

Check = Callable[..., Any]

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_RANGE = re.compile(r"([A-Za-z]+_)([0-9]{1,9})\.\.\1([0-9]{1,9})")


class FieldError(ValueError):
    """A field's value is not allowed; ``fields`` are the fields whose values disagree."""

    def __init__(self, message: str, *fields: str) -> None:
        super().__init__(message)
        self.fields = fields


@dataclass(frozen=True, slots=True)
class CheckedBy(BeforeValidator):
    """A validator that says which values it allows."""

    allowed: str = ""


def checked_by(check: Check, *bounds: Any) -> CheckedBy:
    """Validator that calls a check of this module with the name of the field."""

    def validate(value: object, info: ValidationInfo) -> object:
        return check(info.field_name, value, *bounds)

    allowed = _ALLOWED[check](*bounds) if check in _ALLOWED else ""
    return CheckedBy(validate, allowed=allowed)


def as_field_error(check: Check, *arguments: object, fields: Sequence[str]) -> None:
    """Call a check of `limits` and raise its error with the fields that it is about."""
    try:
        check(*arguments)
    except InputError as error:
        raise FieldError(str(error), *fields) from error


def declared_value(item: Declaration, value: object) -> Any:
    """A value of a declared setting; rates may be texts with a unit, such as ``5k/s``."""
    plain = _amount(value) if item.unit in _RATES and isinstance(value, str) else value
    try:
        return item.check(plain)
    except SettingError as error:
        wrong = error.value if error.at else value
        text = named(wrong) if item.one_of else shown(wrong)
        raise FieldError(
            f"`{item.name}{error.at}` must be {error.allowed} (got {text})", item.name
        ) from None


@contextmanager
def naming() -> Iterator[None]:
    """Turn the science's error on settings into one that quotes the first one's name."""
    try:
        yield
    except InvalidParameterError as error:
        names = error.names if isinstance(error, SettingError) else (_WORD.findall(str(error))[0],)
        raise FieldError(f"`{names[0]}`{str(error).removeprefix(names[0])}", *names) from None


def whole(field: str, value: object, least: int, most: int) -> int:
    """An integer within bounds; booleans and texts are refused."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise FieldError(f"`{field}` must be {_integers(least, most)} (got {shown(value)})", field)
    return value


def _integers(least: int, most: int) -> str:
    return f"an integer between {least:,} and {most:,}"


def number(field: str, value: object, least: float, most: float, unit: str) -> float:
    """A finite number within bounds, both allowed; booleans and texts are refused.

    Of fields in bytes/s or events/s, texts with a unit such as ``2MB`` or ``5k/s`` are taken too.
    """
    amount = _amount(value) if unit in (BYTES, EVENTS) else _float(value)
    if amount is None or not least <= amount <= most:
        raise FieldError(
            f"`{field}` must be {_numbers(least, most, unit)} (got {shown(value)})", field
        )
    return amount + 0.0  # -0.0 becomes 0.0


def _numbers(least: float, most: float, unit: str) -> str:
    return f"a number between {least:g} and {most:g}{unit}"


def _amount(value: object) -> float | None:
    if not isinstance(value, str):
        return _float(value)
    try:
        return quantities.amount(value)
    except ValueError:
        return None


def _float(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) else None


def one_of(field: str, value: object, choices: Sequence[str]) -> str:
    """One of some names."""
    if value not in choices:
        raise FieldError(f"`{field}` must be {_names(choices)} (got {named(value)})", field)
    return str(value)


def _names(choices: Sequence[str]) -> str:
    return f"one of {', '.join(choices)}"


def truth(field: str, value: object) -> bool:
    """A boolean."""
    if not isinstance(value, bool):
        raise FieldError(f"`{field}` must be {_TRUTHS} (got {shown(value)})", field)
    return value


_TRUTHS = "true or false"
_ALLOWED: Mapping[Check, Callable[..., str]] = {
    whole: _integers,
    number: _numbers,
    one_of: _names,
    truth: lambda: _TRUTHS,
}
"""What checks allow, as messages and the page of settings say it."""


def name(field: str, value: object) -> str:
    """Name of an experiment; stream ids contain it."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise FieldError(
            f"`{field}` must be 1 to 40 letters, digits, hyphens or underscores and start with a "
            f"letter (got {named(value)})",
            field,
        )
    return value


def deltas(field: str, value: object) -> tuple[float, ...]:
    """Values of δ, in % of the capacity; all differ in stream ids."""
    values = [
        number(f"{field}[{i}]", item, 0.0, 100.0, " % of the capacity")
        for i, item in enumerate(_listed(field, value, MAX_DELTAS, "5,10"))
    ]
    _refuse_repeats(field, [f"{delta:g}" for delta in values], " (compared to six digits)")
    return tuple(values)


def starts(field: str, value: object) -> tuple[str, ...]:
    """Start conditions, as texts: ``uniform``, or % of the capacity."""
    items = _listed(field, value, len(STARTS), "uniform,50")
    texts = [_start(f"{field}[{i}]", item) for i, item in enumerate(items)]
    _refuse_repeats(field, texts)
    return tuple(texts)


def _start(field: str, value: object) -> str:
    percent = _float(value)
    text = value if percent is None else f"{percent + 0.0:g}"
    if text not in STARTS:
        raise FieldError(
            f"`{field}` must be {', '.join(STARTS[:-1])} or {STARTS[-1]} % of the capacity "
            f"(got {named(value)})",
            field,
        )
    return str(text)


def algorithm_names(field: str, value: object) -> tuple[str, ...]:
    """Names of algorithms with ranges such as ``kd_1..kd_8`` written out.

    `REFERENCE` stays as it is. Names are not looked up, because importing the registry is slow.
    """
    names: list[str] = []
    for i, item in enumerate(_listed(field, value, MAX_ALGORITHMS, "MWF,BFD,kd_1..kd_8")):
        if not isinstance(item, str):
            raise FieldError(
                f"`{field}[{i}]` must be the name of an algorithm (got {shown(item)}); "
                "to list them, run `groupscale algorithms`",
                field,
            )
        names += _written_out(field, item.strip(), MAX_ALGORITHMS - len(names))
    _refuse_repeats(field, names)
    return tuple(names)


def _written_out(field: str, text: str, room: int) -> Iterable[str]:
    match = _RANGE.fullmatch(text)
    if match is None:
        if ".." in text:
            raise FieldError(
                f"`{field}`: a range must have the form kd_1..kd_8 (got {named(text)})",
                field,
            )
        return [text]
    first, last = int(match[2]), int(match[3])
    if first > last:
        raise FieldError(
            f"`{field}`: a range must start with its lower number (got {named(text)})",
            field,
        )
    if last - first >= room:
        raise FieldError(
            f"`{field}` can have at most {MAX_ALGORITHMS:,} names (got {named(text)}); "
            "choose a shorter range",
            field,
        )
    return [f"{match[1]}{n}" for n in range(first, last + 1)]


def _listed(field: str, value: object, most: int, example: str) -> Sequence[Any]:
    """A list as it is, a single value as a list of one."""
    items = list(value) if isinstance(value, list | tuple) else [value]
    if not items or items == [""]:
        raise FieldError(
            f"`{field}` must have at least one value (got none), such as {field}={example}", field
        )
    if len(items) > most:
        raise FieldError(f"`{field}` can have at most {most:,} values (got {len(items):,})", field)
    return items


def _refuse_repeats(field: str, texts: Sequence[str], how: str = "") -> None:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise FieldError(
                f"`{field}` contains {named(text)} twice{how}; remove one",
                field,
            )
        seen.add(text)
