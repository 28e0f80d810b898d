"""Checks on the fields of a message, each of which returns the value in its own type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MAX_PARTITIONS = 200
"""Partitions of the data topic."""

MAX_CONSUMERS = 50
"""Partitions of topic `command`: consumer i reads partition i."""

MAX_NUMBER = 2**31 - 1
"""Epochs, incarnations, plans, process ids."""

MAX_COUNT = 2**63 - 1
"""Offsets, sequence numbers, nanoseconds."""

MAX_RATE = 1e15
"""Speeds, bytes/s: beyond it doubles do not distinguish single bytes."""

MAX_SPAN = 1e9
"""Lengths of time, seconds: thirty years."""

MAX_SHOWN = 80
"""Characters of a wrong value in an error message."""

Check = Callable[[str, object], Any]
"""Takes a field's name and its value as parsed from JSON, and returns the value.

Raises `InvalidMessage` if the value is not allowed.
"""


class InvalidMessage(ValueError):
    """A message is not understood; it must be logged and then ignored.

    field: Path of the field, such as ``partitions[2].epoch``; ``message`` for the whole.
    limit: What is allowed, to follow "must be".
    """

    def __init__(self, field: str, value: object, limit: str) -> None:
        super().__init__(field, value, limit)
        self.field, self.value, self.limit = field, value, limit

    def __str__(self) -> str:
        return f"`{self.field}` must be {self.limit} (got {shown(self.value)})"


def shown(value: object) -> str:
    """Shortened text of a value of any size."""
    if isinstance(value, str | bytes):
        value = value[: MAX_SHOWN + 1]
    if isinstance(value, int) and value.bit_length() > 4 * MAX_SHOWN:
        return "an integer of too many digits"
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def integer(low: int, high: int) -> Check:
    """Check for an integer between two bounds, both allowed; a bool is not an integer."""

    def check(field: str, value: object) -> int:
        if type(value) is not int or not low <= value <= high:
            raise InvalidMessage(field, value, f"an integer between {low:,} and {high:,}")
        return value

    return check


def number(high: float) -> Check:
    """Check for a finite number, integer or not, between 0 and a bound."""

    def check(field: str, value: object) -> float:
        if type(value) not in (int, float) or not 0 <= value <= high:  # type: ignore[operator]
            raise InvalidMessage(field, value, f"a number between 0 and {high:g}")
        return float(value)  # type: ignore[arg-type]

    return check


def fields(checks: dict[str, Check]) -> Check:
    """Check for a JSON object with exactly these fields."""
    limit = "an object with the fields " + ", ".join(checks)

    def check(field: str, value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise InvalidMessage(field, value, limit)
        if value.keys() != checks.keys():
            raise InvalidMessage(field, sorted(value), limit)
        prefix = "" if field == WHOLE else f"{field}."
        return {name: allowed(prefix + name, value[name]) for name, allowed in checks.items()}

    return check


WHOLE = "message"
"""Name of a message as a whole in errors."""


def rows(row: Callable[..., Any], checks: dict[str, Check]) -> Check:
    """Check for a list with one row, of these fields, for each of some partitions."""
    check_row = fields(checks)

    def check(field: str, value: object) -> tuple[Any, ...]:
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_PARTITIONS:
            raise InvalidMessage(field, value, f"a list of 1 to {MAX_PARTITIONS} partitions")
        items = [row(**check_row(f"{field}[{i}]", item)) for i, item in enumerate(value)]
        partitions = [item.partition for item in items]
        if len(set(partitions)) < len(partitions):
            raise InvalidMessage(field, partitions, "partitions without duplicates")
        return tuple(items)

    return check


def by_partition(check_value: Check) -> Check:
    """Check for an object with partition numbers as names; returns a dict by integers."""

    def check(field: str, value: object) -> dict[int, Any]:
        if not isinstance(value, dict):
            raise InvalidMessage(field, value, "an object with partitions as names")
        return {
            _partition(field, name): check_value(f"{field}.{name}", item)
            for name, item in value.items()
        }

    return check


def _partition(field: str, name: str) -> int:
    # "01", "+1" and "١" would be other spellings of the same partition.
    if name.isascii() and name.isdigit() and len(name) <= 3 and str(int(name)) == name:
        partition = int(name)
        if partition < MAX_PARTITIONS:
            return partition
    raise InvalidMessage(field, name, f"named by integers between 0 and {MAX_PARTITIONS - 1}")
