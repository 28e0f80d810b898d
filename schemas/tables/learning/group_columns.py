"""Columns that the tables of agents on consumer groups have in common."""

from dataclasses import replace

from schemas.column_kinds import integer, text
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

POLICY = text("policy", "Agent, rule, or clairvoyant, which knows all arrivals.")

SPLITS = ("time", "trace")
"""Ways in which what is judged on was kept from agents."""

SPLIT = text("split", "Test parts that count: those of one split, or all.", (*SPLITS, "all"))

SEEDS = integer("seeds", "seeds", "Agents with different random numbers; 1 for a rule.", 1)

TRACES = integer("traces", "traces", "Test parts.", 1)
