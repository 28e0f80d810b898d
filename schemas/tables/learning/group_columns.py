"""Columns that the tables of agents on consumer groups have in common."""

from schemas.column import Column

POLICY = Column(
    "policy",
    "string",
    "Agent, rule that it is compared with, or clairvoyant, which knows all arrivals.",
)

SPLITS = ("time", "trace")
"""Ways in which what is judged on was kept from agents."""

SPLIT = Column(
    "split",
    "string",
    "Test parts that count: those of one split, or all.",
    allowed=(*SPLITS, "all"),
)

SEEDS = Column(
    "seeds",
    "int",
    "Agents with different random numbers; 1 for a rule.",
    "seeds",
    minimum=1,
)

TRACES = Column("traces", "int", "Test parts.", "traces", minimum=1)
