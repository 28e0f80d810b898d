"""Columns that the tables of agents on consumer groups have in common."""

from dataclasses import replace

from schemas.column import Column
from schemas.tables.autoscaling import simulations

FIGURES = (
    "sla_percent",
    *simulations.LATENCIES,
    *("n_up", "n_down", "n_reassign"),
    *("partitions_moved", "peak_lag", "unconsumed", "stalled_s"),
)
"""Names of columns that table `simulations` has as well."""

FIGURE_COLUMNS = tuple(
    replace(
        column,
        meaning=column.meaning.replace("the stream", "the part"),
        null_means="The part has no events." if column.nullable else "",
    )
    for column in simulations.TABLE.columns
    if column.name in FIGURES
)
"""These columns, of the part of a trace."""

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
