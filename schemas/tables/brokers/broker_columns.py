"""Columns and rules that tables of brokers that join and leave share."""

from schemas.column import Column
from schemas.column_kinds import integer, text

PLAIN, IDEMPOTENT = "plain", "idempotent"

PRODUCERS = text(
    "producers",
    "Producers with acks=all: as they are (plain), or idempotent.",
    (PLAIN, IDEMPOTENT),
)

SCALING = integer("scaling", "index", "Number of the scaling, from 1.", 1)


def counted(name: str, meaning: str, unit: str, least: int = 0) -> Column:
    """A measured count."""
    return integer(name, unit, meaning, least, measured=True)
