"""The placement by rate, plainly: members as a dictionary of sets of partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from algorithms.autoscaling import Group, Seen

Members = dict[int, set[int]]


def load(held: set[int], weights: Sequence[float]) -> float:
    return sum(weights[p] for p in sorted(held))


def present(owners: Sequence[int], listed: Sequence[int], replicas: int, ids: int) -> Members:
    """Owners, and the lowest of those listed before, up to a number of replicas."""
    members: Members = {}
    for p, owner in enumerate(owners):
        if 0 <= owner < ids:
            members.setdefault(owner, set()).add(p)
    for id_ in sorted(listed):
        if len(members) < replicas:
            members.setdefault(id_, set())
    return members


def resized(members: Members, n: int, weights: Sequence[float]) -> Members:
    """Without the least loaded, or with the lowest free ids."""
    ranked = sorted(members, key=lambda id_: (-load(members[id_], weights), id_))
    kept = {id_: set(members[id_]) for id_ in ranked[:n]}
    free = (id_ for id_ in range(len(members) + n + 1 + max(members, default=0)))
    for id_ in free:
        if len(kept) < n and id_ not in members:
            kept[id_] = set()
    return kept


def with_orphans(members: Members, weights: Sequence[float]) -> Members:
    """Partitions without a member to the least loaded, largest first."""
    held = set[int]().union(*members.values())
    orphans = [p for p in range(len(weights)) if p not in held]
    for p in sorted(orphans, key=lambda p: (-weights[p], p)):
        members[min(members, key=lambda id_: (load(members[id_], weights), id_))].add(p)
    return members


def evened(members: Members, fixed: set[int], weights: Sequence[float]) -> Members:
    """Single moves from the fullest that gains to the emptiest, none of a fixed partition."""
    fixed = set(fixed)
    mean = sum(load(held, weights) for held in members.values()) / len(members)
    while True:
        loads = {id_: load(held, weights) for id_, held in members.items()}
        emptiest = min(members, key=lambda id_: (loads[id_], id_))
        for id_ in sorted(members, key=lambda id_: (-loads[id_], id_)):
            options = [
                (round(max(loads[id_] - weights[p], loads[emptiest] + weights[p]), 9), p)
                for p in sorted(members[id_] - fixed)
                if loads[id_] > loads[emptiest]
            ]
            if options and min(options)[0] < loads[id_] - 0.02 * mean:
                p = min(options)[1]
                break
        else:
            return members
        members[id_].remove(p)
        members[emptiest].add(p)
        fixed.add(p)


def packed(weights: Sequence[float], n: int) -> float:
    """Largest load of a largest-first packing."""
    loads = [0.0] * n
    for p in sorted(range(len(weights)), key=lambda p: (-weights[p], p)):
        loads[loads.index(min(loads))] += weights[p]
    return max(loads)


class Answer(NamedTuple):
    """Replicas and the consumer of each partition."""

    replicas: int
    owners: list[int]


class PlainPlacement:
    """Answers decision by decision."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.rates = [0.0] * group.partitions
        self.decisions, self.settled, self.evened = 0, float("-inf"), 0.0
        self.listed = list(range(group.initial_replicas))
        self.ids = group.partitions + 2 * group.max_replicas + 1

    def decide(self, seen: Seen, count: int) -> Answer | None:
        """Answer to a count, -1 for none; None for no answer."""
        group, owners = self.group, seen.owners.tolist()
        self.decisions += 1
        new = max(1.0 - 0.95**group.decision_s, 1.0 / self.decisions)
        rates = seen.rates.tolist()
        self.rates = [x + new * (rate - x) for x, rate in zip(self.rates, rates, strict=True)]
        if seen.time < self.settled:
            return None
        target = seen.replicas if count < 0 else count
        n = min(max(target, group.min_replicas), group.max_replicas)
        if n == 0:
            return Answer(0, [-1] * len(rates)) if seen.replicas else None
        same = n == seen.replicas and all(0 <= owner < self.ids for owner in owners)
        if same and seen.time < self.evened + 60.0:
            return None
        weights = self.rates if sum(self.rates) > 0 else [1.0] * len(rates)
        members = present(owners, self.listed, seen.replicas, self.ids)
        before = len(members)
        self.listed = list(members)
        same = same and before == n
        if same:
            uneven = max(load(held, weights) for held in members.values())
            if uneven <= 1.15 * packed(weights, len(members)):
                return None
            members = evened(members, set(), weights)
        else:
            members = resized(members, n, weights)
            held = set[int]().union(*members.values())
            members = with_orphans(members, weights)
            if n >= before:
                members = evened(members, set(range(len(rates))) - held, weights)
        self.listed = list(members)
        after = {p: id_ for id_, held in members.items() for p in held}
        placed = [after[p] for p in range(len(rates))]
        if same and placed == owners:
            return None
        self.settled = seen.time + self.takes(before, n)
        self.evened = seen.time if same else self.evened
        return Answer(n, placed)

    def takes(self, before: int, n: int) -> float:
        """Longest time of an action, from the contract."""
        group = self.group
        last = group.rebalance_s + group.move_pause_s
        if n >= before and group.protocol == "cooperative":
            last += group.rebalance_s
        return (group.startup_s if n > before else 0.0) + group.heartbeat_s + last
