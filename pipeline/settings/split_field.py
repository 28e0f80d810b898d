"""The split of a total rate over partitions, as a field of an experiment."""

from __future__ import annotations

from pipeline.base import limits
from pipeline.base.text.quoting import named
from pipeline.settings import field_checks
from pipeline.settings.field_checks import FieldError

EQUAL, SKEW, WEIGHTS = "equal", "skew", "weights"
"""Splits, as in `algorithms.workloads.partition_splits`."""

MIN_SKEWED = 3
"""Fewest partitions that can be skewed, as there."""

_MOST_SHOWN = 8

Split = str | tuple[float, ...]
"""`EQUAL`, `SKEW`, or a weight per partition."""


def check(field: str, value: object) -> Split:
    """A split by name, or its weights."""
    if value in (EQUAL, SKEW):
        return str(value)
    if not isinstance(value, list | tuple):
        raise FieldError(
            f"`{field}` must be one of {EQUAL}, {SKEW}, or a weight per partition such as "
            f"[4, 2, 1] (got {named(value)})",
            field,
        )
    weights = tuple(
        field_checks.number(f"{field}[{i}]", weight, 0.0, limits.MAX_CAPACITY, "")
        for i, weight in enumerate(value)
    )
    if not any(weights):
        raise FieldError(f"`{field}` must have a weight above 0 (got none)", field)
    return weights


def check_partitions(split: Split, partitions: int) -> None:
    """Raise `FieldError` if the split does not fit the number of partitions."""
    if split == SKEW and partitions < MIN_SKEWED:
        raise FieldError(
            f"`partitions` must be at least {MIN_SKEWED} for the split skew (got {partitions})",
            "partitions",
            "split",
        )
    if not isinstance(split, str) and len(split) != partitions:
        raise FieldError(
            f"`split` must have a weight per partition (got {len(split)} weights for "
            f"{partitions} partitions); set partitions={len(split)}",
            "split",
            "partitions",
        )


def largest_share(split: Split, partitions: int) -> float:
    """Share of the total rate that the fastest partition has."""
    if not isinstance(split, str):
        return max(split) / sum(split)
    return 1.0 / partitions if split == EQUAL else max(0.25, 0.5 / (partitions - 2))


def text(split: Split) -> str:
    """The split, for names of workloads; of many weights the first."""
    if isinstance(split, str):
        return split
    shown = ",".join(f"{weight:g}" for weight in split[:_MOST_SHOWN])
    return f"{WEIGHTS} {shown}" + (",…" if len(split) > _MOST_SHOWN else "")


def arguments(split: Split) -> tuple[str, tuple[float, ...] | None]:
    """Name and weights, for `algorithms.workloads.partition_splits.split`."""
    return (split, None) if isinstance(split, str) else (WEIGHTS, split)
