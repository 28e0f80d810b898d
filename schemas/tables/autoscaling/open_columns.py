"""Columns of settings that papers leave open: how events arrive, and what a controller waits."""

from schemas.column import Column
from schemas.column_kinds import double, text
from schemas.rule import Check

SWEPT = text("swept", "The open setting in words.")


def arrivals(null: str = "") -> Column:
    """When the events of a second arrive."""
    return text(
        "arrivals",
        "Events of a second arrive evenly, in a burst at one phase, or in a burst that drifts "
        "against the controller's decisions from a random phase on.",
        ("even", "bursts", "drift"),
        null=null,
    )


def shift(null: str = "") -> Column:
    """What the arrivals are shifted by."""
    return double(
        "shift_s",
        "s",
        "Of bursts the time until the decision, of drift how much longer a second of the producer "
        "is than one of the controller; 0 of even arrivals.",
        None,
        null=null,
    )


def keys(null: str = "") -> Column:
    """Which partitions the events of a second are for."""
    return text(
        "keys",
        "Whether partitions get exact shares of a second's events, or those of hashed keys.",
        ("exact", "hashed"),
        null=null,
    )


def cooldown(null: str = "") -> Column:
    """How long the controller waits."""
    return double("cooldown_s", "s", "Time after an action without decisions.", null=null)


SHIFTED = Check(
    "shift_of_arrivals",
    "Even arrivals have no shift, and bursts none below 0.",
    "CASE WHEN arrivals = 'even' THEN shift_s = 0 "
    "WHEN arrivals = 'bursts' THEN shift_s >= 0 ELSE true END",
)
