"""Checks of single fields of a configuration; their messages stand by themselves.

Each check takes the field's name and the raw value, from a command line, YAML or JSON, and
returns the value as it is kept, or raises `FieldError`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pipeline.limits import MAX_ALGORITHMS, MAX_DELTAS
from pipeline.text.quoting import named, shown

REFERENCE = "reference"
"""Stands for the paper's twelve algorithms in a list of them."""

STARTS = ("uniform", "0", "50", "100")
"""Start conditions: speeds drawn from 0 to 100 % of the capacity, or all the same."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_RANGE = re.compile(r"([A-Za-z]+_)([0-9]{1,9})\.\.\1([0-9]{1,9})")


class FieldError(ValueError):
    """A field's value that is not allowed; ``fields`` are those whose values disagree."""

    def __init__(self, message: str, *fields: str) -> None:
        super().__init__(message)
        self.fields = fields


def whole(field: str, value: object, least: int, most: int) -> int:
    """A whole number within bounds; truth values and texts are none."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise FieldError(
            f"{field} is {shown(value)}: must be a whole number from {least} to {most:,}; "
            "choose one of these",
            field,
        )
    return value


def number(field: str, value: object, least: float, most: float, unit: str) -> float:
    """A finite number within bounds, both allowed; truth values and texts are none."""
    found = _float(value)
    if found is None or not least <= found <= most:
        raise FieldError(
            f"{field} is {shown(value)}: must be a number from {least:g} to {most:g}{unit}; "
            "choose one of these",
            field,
        )
    return found + 0.0  # -0.0 becomes 0.0


def _float(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def truth(field: str, value: object) -> bool:
    """A truth value."""
    if not isinstance(value, bool):
        raise FieldError(
            f"{field} is {shown(value)}: must be true or false; choose one of these", field
        )
    return value


def name(field: str, value: object) -> str:
    """Name of an experiment, which stream ids are made of."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise FieldError(
            f"{field} is {named(value)}: must be 1 to 40 letters, digits, hyphens or "
            "underscores, a letter first; choose such a name",
            field,
        )
    return value


def deltas(field: str, value: object) -> tuple[float, ...]:
    """Values of δ, in % of the capacity; no two that ids of streams show alike."""
    found = [
        number(f"{field}[{i}]", item, 0.0, 100.0, " (% of the capacity)")
        for i, item in enumerate(_listed(field, value, MAX_DELTAS, "5,10"))
    ]
    _refuse_repeats(field, [f"{delta:g}" for delta in found], " (compared to six digits)")
    return tuple(found)


def starts(field: str, value: object) -> tuple[str, ...]:
    """Start conditions, as texts: ``uniform``, or % of the capacity."""
    items = _listed(field, value, len(STARTS), "uniform,50")
    found = [_start(f"{field}[{i}]", item) for i, item in enumerate(items)]
    _refuse_repeats(field, found)
    return tuple(found)


def _start(field: str, value: object) -> str:
    percent = _float(value)
    text = value if percent is None else f"{percent + 0.0:g}"
    if text not in STARTS:
        raise FieldError(
            f"{field} is {named(value)}: must be {', '.join(STARTS[:-1])} or {STARTS[-1]} "
            "(% of the capacity); choose one of these",
            field,
        )
    return str(text)


def algorithm_names(field: str, value: object) -> tuple[str, ...]:
    """Names of algorithms with ranges such as ``kd_1..kd_8`` written out.

    `REFERENCE` stays as it is, and whether there is an algorithm of each name is not looked
    at: that takes the registry, which is slow to import.
    """
    found: list[str] = []
    for i, item in enumerate(_listed(field, value, MAX_ALGORITHMS, "MWF,BFD,kd_1..kd_8")):
        if not isinstance(item, str):
            raise FieldError(
                f"{field}[{i}] is {shown(item)}: must be the name of an algorithm; "
                "`groupscale algorithms` lists them",
                field,
            )
        found += _written_out(field, item.strip(), MAX_ALGORITHMS - len(found))
    _refuse_repeats(field, found)
    return tuple(found)


def _written_out(field: str, text: str, room: int) -> Iterable[str]:
    match = _RANGE.fullmatch(text)
    if match is None:
        if ".." in text:
            raise FieldError(
                f"{field} has {named(text)}: a range has the form kd_1..kd_8; "
                "write it so, or name the algorithms one by one",
                field,
            )
        return [text]
    first, last = int(match[2]), int(match[3])
    if first > last:
        raise FieldError(
            f"{field} has {named(text)}: a range goes up; give the lower number first",
            field,
        )
    if last - first >= room:
        raise FieldError(
            f"{field} has {named(text)}: at most {MAX_ALGORITHMS:,} algorithms are allowed; "
            "choose a shorter range",
            field,
        )
    return [f"{match[1]}{n}" for n in range(first, last + 1)]


def _listed(field: str, value: object, most: int, example: str) -> Sequence[Any]:
    """A list as it is, a single value as a list of one."""
    items = list(value) if isinstance(value, list | tuple) else [value]
    if not items or items == [""]:
        raise FieldError(
            f"{field} is empty: must have at least one value; give some, such as {field}={example}",
            field,
        )
    if len(items) > most:
        raise FieldError(
            f"{field} has {len(items):,} values: at most {most:,} are allowed; choose fewer", field
        )
    return items


def _refuse_repeats(field: str, texts: Sequence[str], how: str = "") -> None:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise FieldError(
                f"{field} has {named(text)} twice{how}: each value may occur once; leave one out",
                field,
            )
        seen.add(text)
