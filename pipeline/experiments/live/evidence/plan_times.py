"""How long each plan of the controller took, and each of its parts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.experiments.live.evidence.known_speeds import known_after
from pipeline.experiments.live.evidence.partition_tenures import gaps, tenures
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder

END = "end"
"""Reason of the plan that takes all partitions from their owners when the run is over."""

LOST = "lost"
"""Reason of a plan that answers the loss of a consumer, and no measurement."""


class PlanTimes(NamedTuple):
    """A plan: what it changed, and how fast. Times are None where the plan has no such part."""

    plan: int
    """Its number, from 1."""
    iteration: int
    """Iteration of the stream in which it was decided, from 1."""
    reason: str
    """Why it was decided."""
    consumers_before: int
    consumers_after: int
    """`consumers_before`, `consumers_after`: consumers with partitions."""
    created: int
    retired: int
    """`created`, `retired`: consumers that were started for it, and that ended after it."""
    moves: int
    """Partitions that got another consumer."""
    rscore: float
    """Rate of these partitions, in capacities."""
    speeds_known_s: float | None
    """Δt1, from the beginning of its iteration until the rates that changed then are known; see
    `pipeline.experiments.live.evidence.known_speeds`. None for a plan that answers the loss of a
    consumer."""
    decided_s: float | None
    """Δt2, from the measurement until the launcher was asked or, if it was not, until the first
    commands were committed; None for a plan that answers the loss of a consumer."""
    handed_s: float | None
    """The part of Δt2 until the first commands were handed to Kafka's client; None where the
    launcher was asked."""
    created_s: float | None
    """Δt3, from asking the launcher until the last new consumer was ready."""
    moved_s: float | None
    """Δt4, from the first commands, or from when the last new consumer was ready if that is later,
    until the last partition was started."""
    gap_p50_s: float | None
    gap_max_s: float | None
    """`gap_p50_s`, `gap_max_s`: median and maximum of the gaps of its moves, see
    `pipeline.experiments.live.evidence.partition_tenures.gaps`."""


def plan_times(folder: RunFolder) -> list[PlanTimes]:
    """All complete plans but the one that ends the run, in their order."""
    by_plan = gaps_by_plan(folder)
    handed = sorted(entry["at_ns"] for entry in folder.said("handed"))
    delays = known_after(folder)
    return [
        _times(entry, by_plan.get(entry["plan"], ()), handed, delays) for entry in _complete(folder)
    ]


def gaps_by_plan(folder: RunFolder) -> dict[int, list[float]]:
    """Gaps of the moves of each plan, s, by the number of the plan."""
    plans = _plans_of_epochs(folder.said("sent"))
    by_plan: dict[int, list[float]] = {}
    for gap in gaps(tenures(folder.records)):
        plan = plans.get((gap.partition, gap.epoch))
        if plan is not None:
            by_plan.setdefault(plan, []).append(gap.gap_s)
    return by_plan


def _complete(folder: RunFolder) -> Iterable[Entry]:
    # A controller that took over writes plans of its predecessor again: the last entry counts.
    latest = {e["plan"]: e for e in folder.said("plan") if e["reason"] != END}
    return (latest[plan] for plan in sorted(latest))


def _plans_of_epochs(sent: Iterable[Entry]) -> Mapping[tuple[int, int], int]:
    return {
        (entry["partition"], entry["epoch"]): entry["plan"]
        for entry in sent
        if entry["kind"] == "start"
    }


def _times(
    entry: Entry, gaps_s: Sequence[float], handed_ns: Sequence[int], known_s: Mapping[int, float]
) -> PlanTimes:
    asked, committed = entry["asked_ns"], entry["committed_ns"]
    is_lost = entry["reason"] == LOST
    measured = None if is_lost else entry["measured_ns"]
    handed = _handed(committed, handed_ns) if asked is None else None
    return PlanTimes(
        plan=entry["plan"],
        iteration=entry["iteration"] + 1,
        reason=entry["reason"],
        consumers_before=entry["before"],
        consumers_after=entry["after"],
        created=entry["created"],
        retired=entry["retired"],
        moves=entry["moves"],
        rscore=float(entry["rscore"]),
        speeds_known_s=None if is_lost else known_s.get(entry["iteration"]),
        decided_s=_span(measured, committed if asked is None else asked),
        handed_s=_span(measured, handed),
        created_s=_span(asked, entry["hello_ns"]),
        moved_s=_span(_later(committed, entry["hello_ns"]), entry["started_ns"]),
        gap_p50_s=float(np.median(gaps_s)) if gaps_s else None,
        gap_max_s=max(gaps_s, default=None),
    )


def _handed(committed_ns: int | None, handed_ns: Sequence[int]) -> int | None:
    """When commands were handed over that were committed at a time: the controller then waits."""
    place = 0 if committed_ns is None else bisect_right(handed_ns, committed_ns)
    return handed_ns[place - 1] if place else None


def _later(one_ns: int | None, other_ns: int | None) -> int | None:
    """The later of two times; None if the first one is not known."""
    return one_ns if one_ns is None or other_ns is None else max(one_ns, other_ns)


def _span(from_ns: int | None, to_ns: int | None) -> float | None:
    """Seconds from one time to another; None if one is not known."""
    return None if from_ns is None or to_ns is None else max(to_ns - from_ns, 0) / 1e9
