"""Checks of single numbers, which public functions make of their arguments."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError


def check_number(
    name: str,
    value: object,
    *,
    at_least: float = -math.inf,
    at_most: float = math.inf,
    above: float = -math.inf,
) -> float:
    """Return a finite number as a float, or raise if it is out of bounds.

    value: The number; NumPy's numbers are allowed, booleans are not.

    >>> check_number("mu", 200, above=0.0)
    200.0
    """
    number = _finite(value)
    if number is None:
        raise InvalidParameterError(f"{name} must be a finite number (got {_text(value)})")
    if not (at_least <= number <= at_most and number > above):
        limits = _limits(at_least, at_most, above)
        raise InvalidParameterError(f"{name} must be {limits} (got {value})")
    return number


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _text(value: object) -> str:
    """A wrong value for a message; an integer of thousands of digits has no text."""
    return (
        "an integer too large"
        if isinstance(value, int) and not isinstance(value, bool)
        else repr(value)
    )


def _limits(at_least: float, at_most: float, above: float) -> str:
    lower = f"above {above:g}" if above > -math.inf else f"at least {at_least:g}"
    if at_most == math.inf:
        return lower
    if at_least == above == -math.inf:
        return f"at most {at_most:g}"
    return f"{lower} and at most {at_most:g}"


def check_switch(name: str, value: object) -> bool:
    """Return a boolean, or raise `InvalidParameterError` if it is none."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidParameterError(f"{name} must be true or false (got {value!r})")
    return bool(value)


def check_factors(f_up: float, f_down: float) -> None:
    """Raise `InvalidParameterError` unless ``0 < f_down < f_up <= 1``."""
    check_number("f_down", f_down)
    check_number("f_up", f_up)
    if not 0.0 < f_down < f_up <= 1.0:
        raise InvalidParameterError(
            "f_down must be above 0 and below f_up, and f_up at most 1 "
            f"(got f_down {f_down}, f_up {f_up})"
        )


def check_values(name: str, values: ArrayLike, partitions: int | None = None) -> Floats:
    """Return one finite, non-negative number per partition, or raise if that is not given.

    values: float64[P], one number per partition; a sequence of numbers is converted.
    partitions: Number of partitions P; by default any number from 1.
    Returns: float64[P], a contiguous array.
    """
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"{name} must be one number per partition ({error})") from None
    shape = "(P,) with P at least 1" if partitions is None else f"({partitions},)"
    if array.ndim != 1 or array.size == 0 or partitions not in (None, array.size):
        raise InvalidParameterError(
            f"{name} must have shape {shape}, one number per partition (got {array.shape})"
        )
    wrong = ~(np.isfinite(array) & (array >= 0.0))
    if wrong.any():
        p = int(np.argmax(wrong))
        raise InvalidParameterError(
            f"{name}[{p}] must be finite and at least 0 (got {float(array[p])})"
        )
    return array
