"""Options of ``groupscale import``."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.base.text import quantities
from pipeline.base.text.quoting import shown
from pipeline.inputs.traces.reading import RECOGNIZED, Reading


@dataclass(frozen=True)
class Asked:
    """Options of the command; None for those not given. `reading` is that of the surveyed file."""

    capacity: float | None = None
    consumer_capacity: float | None = None
    iteration_seconds: float | None = None
    reading: Reading = RECOGNIZED


def rate(option: str, text: str | None) -> float | None:
    """A rate or size such as ``2MB``; None if not given. Raises InputError if it is neither."""
    return None if text is None else given_rate(option, text)


def given_rate(option: str, text: str) -> float:
    """A rate as `rate` reads it."""
    try:
        return quantities.amount(text)
    except ValueError as error:
        raise InputError(f"{option} {error} (got {shown(text)})") from None


def message_size(text: str | None) -> float | None:
    """Mean size of a message, bytes; None if not given."""
    size = rate("--message-size", text)
    if size is not None and not 0.0 < size <= limits.MAX_CAPACITY:
        raise InputError(f"--message-size must be above 0 and at most 1e15 bytes (got {size:g})")
    return size
