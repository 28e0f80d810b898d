"""Columns that the tables of agents on consumer groups have in common."""

from schemas.column import Column

POLICY = Column(
    "policy",
    "string",
    "Agent, rule that it is compared with, or clairvoyant, which knows all arrivals.",
)

SPLITS = ("time", "trace")
"""Ways in which what is judged on was kept from agents."""
