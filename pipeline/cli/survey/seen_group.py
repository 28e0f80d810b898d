"""What Prometheus has seen of a group, in lines that say how sure each is."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.base.text.durations import SPACE, duration
from pipeline.inputs.prometheus import group_history
from pipeline.inputs.prometheus.group_history import Change, GroupHistory
from pipeline.inputs.traces import suggested_command


class SeenGroup(NamedTuple):
    """Facts of a group, and how sure they are; None for what is not known."""

    name: str
    members: int | None
    """Members at the last time at which their number is known."""
    member_rate: float | None
    """Events/s that a member reads: mean over members. A lower bound if `lagging_steps` is 0 or
    `members` is None."""
    lagging_steps: int
    """Steps in which all partitions had lag, so that members read as fast as they can."""
    restart_s: float | None
    """Median time for which a member was missing, s; it includes the start-up."""
    restarts: int
    stopped_s: float | None
    """Median time for which reading stopped where the number of members changed, s."""
    changes: int
    step_s: float

    @property
    def is_measured(self) -> bool:
        """Whether `member_rate` is what a member can read, not a lower bound."""
        return self.lagging_steps > 0 and self.members is not None


def of(history: GroupHistory) -> SeenGroup:
    """What follows from a history, and nothing else."""
    from pipeline.experiments.autoscaling.recommendation import todays_group

    served = todays_group.served(group_history.mean_member(history))
    changes, dips = group_history.changes(history), group_history.dips(history)
    counts = np.empty(0) if history.members is None else history.members
    known = counts[~np.isnan(counts)]
    return SeenGroup(
        history.name,
        int(known[-1]) if len(known) else None,
        None if served is None else served.rate,
        0 if served is None else served.intervals,
        float(np.median(dips)) if dips else None,
        len(dips),
        _stopped(changes),
        len(changes),
        history.step_s,
    )


def _stopped(changes: Sequence[Change]) -> float | None:
    return float(np.median([change.stopped_s for change in changes])) if changes else None


def lines(seen: SeenGroup) -> Iterator[str]:
    """Sentences about a group; what is not known is said to be so."""
    yield f"Group {seen.name}, as Prometheus has seen it in steps of {_length(seen.step_s)}:"
    if seen.members is None:
        yield (
            "  members: not known, the exporter has no metric of them; nor are start-up and "
            "rebalances"
        )
    else:
        yield f"  members: {seen.members:,} at the end"
    yield f"  rate of a member: {_rate(seen)}"
    if seen.members is None:
        return
    yield f"  start-up: {_start_up(seen)}"
    yield f"  rebalances: {_rebalances(seen)}"


def _rate(seen: SeenGroup) -> str:
    if seen.member_rate is None:
        return "not known; no successive committed offsets are there"
    rate = f"{seen.member_rate:.4g} events/s"
    whose = "the mean member" if seen.members is not None else "the group as a whole"
    if seen.lagging_steps:
        steps = f"{seen.lagging_steps:,} step{'s' * (seen.lagging_steps != 1)}"
        return f"{rate} by {whose}, measured in {steps} in which all partitions had lag"
    return (
        f"at least {rate} by {whose}; never had all partitions lag, which would show what is "
        "possible"
    )


def _start_up(seen: SeenGroup) -> str:
    if seen.restart_s is None:
        return "not known; no member left and came back"
    return (
        f"at most {_length(seen.restart_s + seen.step_s)}, since members were missing for "
        f"{_length(seen.restart_s)} (median of {seen.restarts:,}), if they were replaced at once"
    )


def _rebalances(seen: SeenGroup) -> str:
    if seen.stopped_s is None:
        return "not seen; the number of members never changed"
    many = f"{seen.changes:,} change{'s' * (seen.changes != 1)} of the number of members"
    if seen.stopped_s == 0.0:
        return f"reading did not stop for a whole step at {many} (median)"
    return f"reading stopped for {_length(seen.stopped_s)} at {many} (median), commits included"


def _length(seconds: float) -> str:
    return duration(seconds).replace(SPACE, " ")


def recommendation(file: str, seen: SeenGroup) -> str:
    """The command that starts from what is measured; empty without a measured rate."""
    if not seen.is_measured or seen.member_rate is None:
        return ""
    rate = float(f"{seen.member_rate:.4g}")
    words = shlex.split(suggested_command.recommendation(file, rate))
    return shlex.join([*words, "--today", str(seen.members)])
