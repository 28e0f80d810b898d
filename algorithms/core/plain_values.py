"""Values of arguments as plain Python: from NumPy's scalars, and as text for messages."""

from __future__ import annotations

import math

_MOST_OF_TEXT = 60


def without_numpy(value: object) -> object:
    """A scalar of NumPy as Python's, and any other value as it is."""
    is_scalar = getattr(value, "shape", None) == () and hasattr(value, "item")
    return value.item() if is_scalar else value  # type: ignore[attr-defined]


def whole(value: object) -> int | None:
    """An integer, or None for any other value; booleans are none.

    >>> whole(3), whole(3.0), whole(True)
    (3, None, None)
    """
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def finite(value: object) -> float | None:
    """A finite number as a float, or None for any other value; booleans are none.

    >>> finite(3), finite(float("inf")), finite("3")
    (3.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number + 0.0 if math.isfinite(number) else None  # -0.0 becomes 0.0


def shown(value: object) -> str:
    """A wrong value for a message, on one short line.

    >>> shown("even"), shown(10**5000)
    ("'even'", 'an integer too large')
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:
        return "an integer too large"
    return text if len(text) <= _MOST_OF_TEXT else f"{text[: _MOST_OF_TEXT - 1]}…"
