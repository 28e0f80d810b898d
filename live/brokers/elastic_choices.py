"""What experiments with brokers that are added and removed set."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.setting import setting

KILLED, CANCELLED, CONTROLLER = "killed", "cancelled", "controller"
"""Faults: kill -9 of the broker that is added or drained, a cancelled reassignment, and kill -9 of
our controller, all while partitions move."""

KRAFT_CONTROLLER_KILLED = "kraft-controller-killed"
"""Fault: kill -9 of the active KRaft controller while partitions move; the others elect one."""

DISK_FULL, DISK_STAYS_FULL = "disk-full", "disk-stays-full"
"""Faults: the disk of the broker that is added is full while partitions move to it, and gets space
after a while, or does not."""

FAULTS = (
    KILLED,
    CANCELLED,
    CONTROLLER,
    KRAFT_CONTROLLER_KILLED,
    DISK_FULL,
    DISK_STAYS_FULL,
)

OF_DISKS = (DISK_FULL, DISK_STAYS_FULL)
"""Faults of brokers that are added only, with file systems that root alone can mount."""

LEAST, TURNS, GENERATED = "least", "turns", "generated"
PLANS = (LEAST, TURNS, GENERATED)
"""Plans of moves: the fewest with balance, the published rule of turns, and that of Kafka's
``kafka-reassign-partitions --generate``."""


@dataclass(frozen=True, kw_only=True)
class ElasticChoices:
    """A cluster of brokers, its load, and how often a broker is added or removed."""

    least_brokers: int = setting(
        3, "Brokers at the start, and after removals.", "brokers", at_least=1, at_most=6
    )
    most_brokers: int = setting(5, "Brokers after additions.", "brokers", at_least=2, at_most=7)
    kraft_controllers: int = setting(
        1,
        "Nodes that are KRaft controllers alone; one of three can fail.",
        "nodes",
        one_of=(1, 3),
    )
    scalings: int = setting(
        100,
        "Brokers that are added or removed, one after the other: up to `most_brokers`, then down "
        "to `least_brokers`, and so on.",
        "scalings",
        at_least=1,
        at_most=1000,
    )
    planner: str = setting(
        LEAST,
        "How moves are planned: the fewest (least), brokers in turn as published (turns), or by "
        "Kafka's own `--generate` (generated).",
        one_of=PLANS,
    )
    replication: int = setting(3, "Replicas of each partition.", "replicas", at_least=1, at_most=3)
    partitions: int = setting(16, "Partitions of the topic.", "partitions", at_least=4, at_most=256)
    records_per_s: float = setting(
        400.0, "Records that are written to the topic.", "records/s", at_least=10, at_most=5000
    )
    preload_mib: float = setting(
        288.0,
        "Records in the topic before anything else is written; each replica stores its part.",
        "MiB",
        at_least=0,
        at_most=4096,
    )
    throttle_mib_s: float = setting(
        20.0,
        "What a broker sends, and what it fetches, for partitions that move.",
        "MiB/s",
        at_least=0.1,
        at_most=1000,
    )
    still_s: float = setting(
        6.0,
        "Time without a change before each scaling, to compare with.",
        "s",
        at_least=1,
        at_most=300,
    )
