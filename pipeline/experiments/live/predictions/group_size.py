"""How many consumers a strategy had, and how often partitions moved."""

from __future__ import annotations

import math
from itertools import pairwise

from pipeline.experiments.live.evidence.partition_tenures import tenures
from pipeline.experiments.live.evidence.plan_times import plan_times
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions import latency_quantities
from pipeline.experiments.live.predictions.owner_history import NOBODY, wanted_owners

NS_PER_MINUTE = 60e9


def is_controlled(folder: RunFolder) -> bool:
    """Whether a strategy decided on owners; not if Kafka itself managed the group."""
    return any(entry["what"] == "iteration" for entry in folder.entries)


def mean_consumers(folder: RunFolder) -> float:
    """Mean number of consumers, over all iterations but the first.

    Those with partitions, or the members of one of Kafka's own groups. Where decisions are not made
    once per iteration, it is a mean over time.
    """
    if is_controlled(folder) and not has_own_times(folder):
        return latency_quantities.mean_consumers(wanted_owners(folder))
    begin, end = _span(folder)
    return _consumer_ns(folder, begin, end) / (end - begin)


def replica_minutes(folder: RunFolder) -> float:
    """Consumers, as in `mean_consumers`, over the time of all iterations."""
    _, end = _span(folder)
    return _consumer_ns(folder, folder.settings.began_ns, end) / NS_PER_MINUTE


def resizings(folder: RunFolder) -> tuple[int, int]:
    """How often the group got more consumers, and how often fewer, within the iterations.

    The end of the group, which may come once all records of the last second are processed, is none.
    """
    begin, end = folder.settings.began_ns, _span(folder)[1]
    steps = [
        new - old
        for (_, old), (at_ns, new) in pairwise(_changes(folder))
        if begin <= at_ns < end and new > 0
    ]
    return sum(step > 0 for step in steps), sum(step < 0 for step in steps)


def rebalances(folder: RunFolder) -> int | None:
    """Placements that a group's leader made within the iterations; None if it does not ask."""
    asked = [entry["noted_ns"] for entry in folder.said("member") if entry["kind"] == "asked"]
    begin, end = folder.settings.began_ns, _span(folder)[1]
    return sum(begin <= at_ns < end for at_ns in asked) if asked else None


def _consumer_ns(folder: RunFolder, begin: float, end: float) -> float:
    """Consumers over a span of time, in nanoseconds of one."""
    changes = [(-math.inf, 0), *_changes(folder)]
    total = 0.0
    for (at_ns, members), (until_ns, _) in zip(changes, [*changes[1:], (math.inf, 0)], strict=True):
        total += members * max(min(until_ns, end) - max(at_ns, begin), 0.0)
    return total


def has_own_times(folder: RunFolder) -> bool:
    """Whether an autoscaling strategy decided, at times of its own."""
    return bool(folder.said("scaling"))


def member_starts(folder: RunFolder) -> list[float]:
    """Times from the start of a member of Kafka's group until it has joined, s.

    Those that start with the group are left out.
    """
    joined: dict[int, list[int]] = {}
    for entry in folder.said("member"):
        if entry["kind"] == "assigned":
            joined.setdefault(entry["consumer"], []).append(entry["noted_ns"])
    times = []
    for scale in folder.said("scale")[1:]:
        for slot in scale["started"]:
            after = [at_ns for at_ns in joined.get(slot, ()) if at_ns >= scale["at_ns"]]
            times += [(min(after) - scale["at_ns"]) / 1e9] if after else []
    return times


def _changes(folder: RunFolder) -> list[tuple[float, int]]:
    """When the group had another number of consumers from, ns, and that number."""
    if not is_controlled(folder):
        return [(entry["at_ns"], entry["after"]) for entry in folder.said("scale")]
    decided = (entry for entry in folder.said("iteration") if entry["iteration"] >= 0)
    return [(e["at_ns"], len(set(e["wanted"]) - {NOBODY})) for e in decided]


def migrations(folder: RunFolder) -> int:
    """Partitions that got another consumer after the first iteration."""
    if is_controlled(folder):
        return sum(plan.moves for plan in plan_times(folder) if plan.iteration > 1)
    begin, end = _span(folder)
    listed = tenures(folder.records)
    return sum(
        old.partition == new.partition
        and old.consumer != new.consumer
        and begin <= new.first_read_ns < end
        for old, new in pairwise(listed)
    )


def _span(folder: RunFolder) -> tuple[float, float]:
    """All iterations but the first, ns."""
    span_ns = folder.settings.iteration_s * 1e9
    begin = folder.settings.began_ns
    return begin + span_ns, begin + span_ns * folder.settings.iterations
