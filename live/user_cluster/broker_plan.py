"""The least plan for brokers that are added to a user's cluster, or removed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from algorithms.core.input_errors import AlgorithmError
from algorithms.placement import BrokerLists, PlanMeasures, forced_moves, least_moves, measured
from live.user_cluster.cluster_placement import ClusterPlacement
from live.user_cluster.replica_logs import Partition
from pipeline.base.errors import InputError


class BrokerLine(NamedTuple):
    """Replicas and leaders of a broker, before and after a plan."""

    broker: int
    replicas: tuple[int, int]
    leaders: tuple[int, int]
    arriving: int
    """Bytes that are copied to it."""


class BrokerPlan(NamedTuple):
    """A plan, and what it does."""

    changes: dict[Partition, tuple[int, ...]]
    """Brokers of each partition that changes, the preferred leader first."""
    measures: PlanMeasures
    bound: int
    """Moves that no plan with this balance can do without."""
    lines: list[BrokerLine]
    """By the broker's id."""
    absent: list[int]
    """Added brokers that do not answer yet."""


def check_change(added: Collection[int], removed: Collection[int]) -> None:
    """Raise InputError unless brokers are added or removed, each of them one of the two."""
    if not added and not removed:
        raise InputError("a plan needs `--add ID` or `--remove ID`")
    for option, ids in (("add", added), ("remove", removed)):
        if min(ids, default=0) < 0:
            raise InputError(f"`--{option}` must be at least 0 (got {min(ids)})")
    if both := set(added) & set(removed):
        raise InputError(f"broker {min(both)} must be in `--add` or in `--remove`, not in both")


def plan(
    placement: ClusterPlacement, added: Collection[int], removed: Collection[int], has_racks: bool
) -> BrokerPlan:
    """Plan the fewest moves.

    has_racks: Whether replicas are spread over racks, where brokers have one.
    Raises InputError if brokers are unknown or away, or too few remain.
    """
    check_change(added, removed)
    brokers = remaining(placement, added, removed)
    racks = {broker: placement.racks.get(broker, "") for broker in brokers}
    _check_replication(placement, brokers)
    sizes = [float(placement.sizes[each]) for each in placement.replicas]
    before = list(placement.replicas.values())
    try:
        best = least_moves(
            before, brokers, sizes, racks if has_racks and any(racks.values()) else None
        )
    except AlgorithmError as error:
        raise InputError(f"{error}; set broker.rack, or pass --no-racks") from None
    return described(placement, best.replicas, added, removed)


def described(
    placement: ClusterPlacement,
    replicas: BrokerLists,
    added: Collection[int],
    removed: Collection[int],
) -> BrokerPlan:
    """What a plan of any kind does.

    replicas: Brokers of each partition after the plan, in the order of the placement.
    Raises InputError if brokers are unknown or away.
    """
    brokers = remaining(placement, added, removed)
    sizes = [float(placement.sizes[each]) for each in placement.replicas]
    after = dict(zip(placement.replicas, replicas, strict=True))
    lines = _lines(placement, after, {*brokers, *removed})
    before, counts = (
        [line.replicas[when] for line in lines if line.broker in brokers] for when in (0, 1)
    )
    return BrokerPlan(
        {each: row for each, row in after.items() if row != placement.replicas[each]},
        measured(list(placement.replicas.values()), replicas, brokers, sizes),
        forced_moves(before, counts),
        lines,
        sorted(set(added) - placement.racks.keys()),
    )


def reassignment_json(changes: dict[Partition, tuple[int, ...]]) -> str:
    """The file that ``kafka-reassign-partitions --execute`` and ``--verify`` read."""
    rows = [
        {"topic": topic, "partition": number, "replicas": list(row)}
        for (topic, number), row in changes.items()
    ]
    return json.dumps({"version": 1, "partitions": rows}, indent=1) + "\n"


def remaining(
    placement: ClusterPlacement, added: Collection[int], removed: Collection[int]
) -> list[int]:
    """Brokers after a plan, ascending. Raises InputError if brokers are unknown or away."""
    if not placement.replicas:
        raise InputError("the cluster has no topics, so that nothing can move")
    holders = {broker for row in placement.replicas.values() for broker in row}
    known = holders | placement.racks.keys()
    for broker in sorted(set(removed) - known):
        raise InputError(
            f"`--remove {broker}`: the cluster has no such broker "
            f"(brokers: {', '.join(map(str, sorted(known)))})"
        )
    for broker in sorted(holders - placement.racks.keys() - {*removed, *added}):
        raise InputError(
            f"broker {broker} has replicas and does not answer; restart it, or plan with "
            f"`--remove {broker}`"
        )
    return sorted((placement.racks.keys() | set(added)) - set(removed))


def _check_replication(placement: ClusterPlacement, brokers: list[int]) -> None:
    (topic, number), row = max(placement.replicas.items(), key=lambda item: len(item[1]))
    if len(row) > len(brokers):
        raise InputError(
            f"{topic}-{number} has {len(row)} replicas: at least {len(row)} brokers must remain "
            f"(got {len(brokers)})"
        )


def _lines(
    placement: ClusterPlacement, after: dict[Partition, tuple[int, ...]], brokers: Iterable[int]
) -> list[BrokerLine]:
    counts = [
        Counter(broker for row in rows for broker in row[:most])
        for most in (None, 1)
        for rows in (placement.replicas.values(), after.values())
    ]
    arriving: Counter[int] = Counter()
    for each, row in after.items():
        arriving.update(dict.fromkeys({*row} - {*placement.replicas[each]}, placement.sizes[each]))
    return [
        BrokerLine(
            broker,
            (counts[0][broker], counts[1][broker]),
            (counts[2][broker], counts[3][broker]),
            arriving[broker],
        )
        for broker in sorted(brokers)
    ]
