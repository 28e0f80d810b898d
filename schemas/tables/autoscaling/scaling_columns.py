"""Columns that the tables of autoscaling have in common."""

from schemas.column_kinds import text

WORKLOAD = text("workload", "Load profile of the experiment, or name of a recorded file.")

STRATEGY = text("strategy", "Autoscaling strategy, or an assignment algorithm that sets replicas.")

SETTING = text(
    "setting",
    "Parameters that differ from the strategy's defaults, such as h=1.5:assignor=sticky; empty "
    "for the defaults.",
)

CANDIDATE = ("strategy", "setting")
"""Columns that together name a strategy with its parameters."""
