"""Columns that the tables of events at the busiest hour have in common."""

from schemas.column import Column
from schemas.column_kinds import double, text

KIND = text("kind", "Kind of the event, as in --event.")

EVENT = text(
    "event", "What happens as the busiest hour begins: the event as in --event, without a time."
)

LASTS = "The event holds to the end."


def late_events(meaning: str) -> Column:
    """Late events, beyond those without the event."""
    return double("late_events", "events", meaning)


def greatest_age_s(meaning: str) -> Column:
    """Greatest age of an event until the lag is gone."""
    return double("greatest_age_s", "s", meaning, infinite=True)


def lag_gone_after_s(meaning: str) -> Column:
    """Time until the lag is gone."""
    return double("lag_gone_after_s", "s", meaning, infinite=True, null=LASTS)
