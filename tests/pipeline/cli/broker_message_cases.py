"""Wrong input for brokers that join and leave, in words of the command line."""

from __future__ import annotations

EXPERIMENTS = {
    "an unknown fault": ("faults=rest",),
    "a fault without enough replicas": ("faults=disk-full", "replication=2"),
    "an unknown planner": ("planner=random",),
    "two planners": ("planner=least,turns",),
    "too few brokers for replicas": ("least_brokers=2",),
    "brokers that do not change": ("most_brokers=3",),
}
"""Settings of experiments."""
