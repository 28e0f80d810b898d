"""When a consumer counts as lost, and how many are kept ready to replace it."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.setting import setting

MOST_CONSUMERS = 40
"""Consumers of a group: each is a process."""


@dataclass(frozen=True, kw_only=True)
class Lease:
    """What experiments set."""

    lease_s: float = setting(
        10.0,
        "Time without a sign of life, or without an answer to a command, after which a consumer is "
        "lost; in cycle, answers may take a batch longer.",
        "s",
        at_least=1,
        at_most=60,
    )
    spare: int = setting(
        0,
        "Consumers without partitions that are kept, ready for the next move; figures do not count "
        "them.",
        "consumers",
        at_least=0,
        at_most=MOST_CONSUMERS,
    )


@dataclass(frozen=True, kw_only=True)
class LaunchTime:
    """What all runs have in common."""

    launch_s: float = setting(
        30.0, "Time in which a consumer that was asked for must be ready.", "s", above=0
    )
