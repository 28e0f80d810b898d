"""When a group with ``min_replicas: 0`` may have no replicas, as the scaler's file says it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from algorithms.autoscaling.strategy_list import LONGEST_QUIET_S, MOST_ACTIVATION, QUIET_S
from algorithms.core.setting import declared, setting
from pipeline.base.errors import InputError

EARLIEST, LATEST = RESETS = ("earliest", "latest")


@dataclass(frozen=True, kw_only=True)
class IdleSettings:
    """Settings of a group that is scaled to zero."""

    activation: int = setting(
        0,
        "Unread records of a partition that do not need a replica: markers of transactions stay "
        "unread.",
        "records",
        at_least=0,
        at_most=MOST_ACTIVATION,
    )
    cooldown_s: float = setting(
        QUIET_S,
        "Time without further or unread records after which the group is idle.",
        "s",
        at_least=0,
        at_most=LONGEST_QUIET_S,
    )
    offset_reset: str = setting(
        # Kafka's own default, and the safe one: with it, records before a commit would be lost.
        LATEST,
        "The members' `auto.offset.reset`; none and by_duration are latest here.",
        one_of=RESETS,
    )


def check(
    path: str, given: Iterable[str], min_replicas: int, members_per_replica: int | None
) -> None:
    """Check that these settings are given where they have a meaning.

    path: Of the group in the scaler's file.
    given: Keys of the group.
    """
    if min_replicas == 0:
        if members_per_replica is None:
            raise InputError(
                f"`{path}.members_per_replica` is missing; give it where `min_replicas` is 0, "
                "since a group without members does not show it"
            )
        return
    for name in declared(IdleSettings).keys() & set(given):
        raise InputError(
            f"`{path}.{name}` is for `min_replicas` 0 (got {min_replicas}); leave it out"
        )
