"""What the journal says of a plan that is complete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from live.controller.live_decisions import NOBODY, Wanted
from live.controller.live_strategy import rscore
from live.protocol.plan_report import Plan


def plan_entry(
    plan: Plan, wanted: Wanted, present: Sequence[int], capacity: float
) -> dict[str, Any]:
    """Fields of the entry: consumers, moves, and times in nanoseconds of the run's clock.

    Times are None where nothing of the kind has happened, or an earlier controller did it.
    """
    before, after = set(present) - {NOBODY}, set(wanted.owners) - {NOBODY}
    moved = [m for m in plan.moves if NOBODY not in (m.source, m.target) and m.source != m.target]
    asked = [launch.asked_s for launch in plan.launches if launch.asked_s is not None]
    ready = [launch.ready_s for launch in plan.launches if launch.ready_s is not None]
    return {
        "plan": plan.number,
        "iteration": plan.iteration,
        "reason": plan.reason,
        "before": len(before),
        "after": len(after),
        "created": len(after - before),
        "retired": len(before - after),
        "moves": len(moved),
        "rscore": rscore(wanted.rates, present, wanted.owners, capacity),
        "measured_ns": wanted.measured_ns,
        "decided_ns": _ns(plan.decided_s),
        "asked_ns": _ns(min(asked, default=None)),
        "committed_ns": _ns(plan.first_command_s),
        "hello_ns": _ns(max(ready, default=None)),
        "started_ns": _ns(plan.last_started_s),
    }


def _ns(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1e9)
