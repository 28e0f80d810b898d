"""Columns of each kind, declared in a line where a line is enough.

``null`` makes a column nullable and says what null means. Numbers are at least 0 unless
``minimum`` says otherwise: None for those that can be negative. Arrays are declared as `Column`.
"""

from __future__ import annotations

from schemas.column import Column


def text(name: str, meaning: str, allowed: tuple[str, ...] = (), *, null: str = "") -> Column:
    """A string."""
    return Column(name, "string", meaning, nullable=bool(null), null_means=null, allowed=allowed)


def flag(name: str, meaning: str, *, null: str = "") -> Column:
    """A boolean."""
    return Column(name, "boolean", meaning, nullable=bool(null), null_means=null)


def timestamp(name: str, meaning: str, *, null: str = "") -> Column:
    """A point in time."""
    return Column(name, "timestamp", meaning, nullable=bool(null), null_means=null)


def integer(
    name: str,
    unit: str,
    meaning: str,
    minimum: float | None = 0,
    maximum: float | None = None,
    *,
    null: str = "",
    measured: bool = False,
    kind: str = "int",
) -> Column:
    """An integer of 32 bits."""
    return Column(
        name,
        kind,
        meaning,
        unit,
        nullable=bool(null),
        null_means=null,
        minimum=minimum,
        maximum=maximum,
        measured=measured,
    )


def long(
    name: str,
    unit: str,
    meaning: str,
    minimum: float | None = 0,
    maximum: float | None = None,
    *,
    null: str = "",
    measured: bool = False,
) -> Column:
    """An integer of 64 bits."""
    return integer(name, unit, meaning, minimum, maximum, null=null, measured=measured, kind="long")


def double(
    name: str,
    unit: str,
    meaning: str,
    minimum: float | None = 0,
    maximum: float | None = None,
    *,
    above: float | None = None,
    infinite: bool = False,
    null: str = "",
    measured: bool = False,
) -> Column:
    """A double. above: Exclusive, instead of ``minimum``. infinite: Whether it may be +inf."""
    return Column(
        name,
        "double",
        meaning,
        unit,
        nullable=bool(null),
        null_means=null,
        minimum=minimum if above is None else None,
        maximum=maximum,
        exclusive_minimum=above,
        infinity_allowed=infinite,
        measured=measured,
    )


def ends(
    name: str,
    unit: str,
    interval: str,
    minimum: float | None = None,
    maximum: float | None = None,
    *,
    above: float | None = None,
    infinite: bool = False,
    null: str = "",
) -> tuple[Column, Column]:
    """Both ends of an interval: ``<name>_low`` and ``<name>_high``, or ``low`` and ``high``."""
    low, high = (
        double(
            f"{name}_{end}" if name else end,
            unit,
            f"{word} end of {interval}.",
            minimum,
            maximum,
            above=above,
            infinite=infinite,
            null=null,
        )
        for end, word in (("low", "Lower"), ("high", "Upper"))
    )
    return low, high
