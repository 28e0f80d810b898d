"""Columns that the tables of autoscaling have in common."""

from schemas.column import Column

WORKLOAD = Column(
    "workload",
    "string",
    "Workload of the experiment: a load profile, or the name of a recorded file.",
)

STRATEGY = Column(
    "strategy",
    "string",
    "Autoscaling strategy, or an assignment algorithm that also decides on the replicas.",
)

SETTING = Column(
    "setting",
    "string",
    "Parameters that differ from the strategy's defaults, such as h=1.5:assignor=sticky; empty "
    "for the defaults.",
)

CANDIDATE = ("strategy", "setting")
"""Columns that together name a strategy with its parameters."""
