"""Which group leads the ranking under an event, where the recommended one does not last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from algorithms.core.arrays import Floats
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.incident_figures import GONE, Recovery
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Run

_ROUNDING = 1e-9


class Contest(NamedTuple):
    """What the recommended group is compared with under events."""

    rivals: tuple[Run, ...]
    """Other groups that keep the objective without events, in the order of the ranking."""
    allowed: float
    """Share of the events that may be late."""
    worth: float
    """Share of late events that another one must save."""


class Endured(NamedTuple):
    """How a group gets over an event."""

    recovery: Recovery
    keeps: bool
    """Whether it keeps the objective over the hour that begins with the event."""


class Leader(NamedTuple):
    """What leads under an event."""

    run: Run
    endured: Endured


def leader(endured: Sequence[Endured], worth: float) -> int:
    """Position of what leads under an event, by the rule of the ranking.

    endured: How groups get over it, in the order of the ranking without events.
    worth: Share of late events that is no difference.
    Returns: The first that keeps the objective; if none does, the one with the fewest late events,
        and the first of several that hardly differ in them.

    >>> slow = Endured(Recovery(104.0, 9.0, 60.0), keeps=False)
    >>> other = Endured(Recovery(100.0, 9.0, 50.0), keeps=False)
    >>> leader([slow, other], 0.05), leader([slow, other], 0.0)
    (0, 1)
    """
    kept = next((i for i, each in enumerate(endured) if each.keeps), None)
    if kept is not None:
        return kept
    late = [each.recovery.late for each in endured]
    most = min(late) + GONE
    return next(i for i, each in enumerate(late) if (1.0 - worth) * each <= most)


def keeps_objective(hit: Detailed, quiet: Detailed, first: int, after: int, allowed: float) -> bool:
    """Whether a group keeps an objective over the time that begins with an event.

    hit, quiet: The group with the event, and without it.
    first, after: The first step of that time, and the first one after it.
    allowed: Share of the events of that time that may be late; what waits at its end, beyond what
        waits without the event, is late too.
    """
    steps = hit.trajectory
    end = min(after, steps.lag.size)
    left = float(steps.lag[end - 1] - quiet.trajectory.lag[end - 1]) - GONE
    late = _sum(steps.late, first, end) + max(left, 0.0)
    return late <= (allowed + _ROUNDING) * _sum(steps.arrived, first, end)


def _sum(values: Floats, first: int, end: int) -> float:
    return float(values[first:end].sum())
