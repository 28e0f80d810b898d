"""A confirmation in words, and as plain values for JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pipeline.experiments.autoscaling.confirmation.assumptions import Assumption
from pipeline.experiments.autoscaling.confirmation.confirm import Confirmation

_SHARES = "greatest share"


def verdict(done: Confirmation) -> str:
    """The first line: whether it did what was promised, and what has moved."""
    promise = done.promise
    interval = "" if math.isnan(promise.low) else f", 95 % {promise.low:.1f} to {promise.high:.1f}"
    start = "As promised" if done.is_kept else "Not as promised"
    parts = [
        f"{done.mean:.1f} replicas on average (predicted {promise.replicas:.1f}{interval})",
        f"{_late(done)} (allowed {100 * promise.allowed:.2g} %)",
    ]
    if not done.is_lag_explained:
        parts.append(
            f"the recorded lag is {done.lag:,.0f} events in 95 % of the snapshots, simulated "
            f"{done.simulated_lag:,.0f}: replicas serve less than the simulation assumes"
        )
    moved = [_moved(each) for each in done.assumptions if each.has_moved]
    if moved:
        parts.append("; ".join(moved))
    elif not done.is_kept:
        parts.append("no assumption that the recording shows has moved")
    return f"{start}: {'; '.join(parts)}."


def _late(done: Confirmation) -> str:
    simulated = f"{100 * done.late:.2g} % late as simulated on this load"
    if math.isnan(done.late_measured):
        return simulated
    return f"{100 * done.late_measured:.2g} % late as measured; {simulated}"


def again(done: Confirmation) -> str:
    """Whether the recommendation would be the same."""
    if done.is_same:
        return f"The recommendation would be the same today: {done.promise.label}."
    now = done.answer or "nothing that can be deployed keeps the objective"
    return f"The recommendation would differ today: {now} (then {done.promise.label})."


def _moved(each: Assumption) -> str:
    assert each.change is not None
    percent = f"{abs(100 * each.change):.0f} %"
    if each.name == _SHARES:
        return f"{percent} of the events are on other partitions"
    return f"{each.name} {'rose' if each.change > 0.0 else 'fell'} by {percent}"


def rows(done: Confirmation) -> Iterator[tuple[str, str, str, str]]:
    """Rows of the table: what, then, now, moved."""
    promise = done.promise
    yield (
        "replicas, mean",
        f"{promise.replicas:.2f}",
        f"{done.mean:.2f}",
        _by(done.mean / promise.replicas - 1.0 if promise.replicas else None),
    )
    yield "replicas, peak", f"{promise.peak:.0f}", f"{done.peak:.0f}", ""
    yield "scalings per hour", f"{promise.scalings:.1f}", f"{done.scalings:.1f}", ""
    yield "late, simulated", _percent(promise.late), _percent(done.late), ""
    if not math.isnan(done.late_measured):
        yield "late, measured", "", _percent(done.late_measured), ""
    if not math.isnan(done.lag):
        yield "lag, events", f"{done.simulated_lag:,.0f}", f"{done.lag:,.0f}", ""
    for each in done.assumptions:
        label = f"{each.name}, {each.unit}" if each.unit else each.name
        now = "not measured" if each.now is None else f"{each.now:,.4g}"
        then = f"{each.then:,.4g}" if isinstance(each.then, int | float) else str(each.then)
        yield label, then, now, _by(each.change)


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.2g} %"


def _by(change: float | None) -> str:
    return "" if change is None else f"{100 * change:+.0f} %"


def record(done: Confirmation) -> dict[str, Any]:
    """All figures; the unknown are None."""
    promise = done.promise
    return {
        "kept": done.is_kept,
        "hours": done.hours,
        "replicas": {
            "predicted": promise.replicas,
            "low": _number(promise.low),
            "high": _number(promise.high),
            "observed": done.mean,
            "simulated": float(done.simulated.mean()),
        },
        "most_replicas": {"predicted": promise.peak, "observed": done.peak},
        "late_percent": {
            "predicted": _number(100 * promise.late),
            "simulated": 100 * done.late,
            "measured": _number(100 * done.late_measured),
            "allowed": 100 * promise.allowed,
        },
        "scalings_per_hour": {
            "predicted": promise.scalings,
            "observed": done.scalings,
            "simulated": done.scalings_now,
        },
        "lag_p95": None
        if math.isnan(done.lag)
        else {"recorded": done.lag, "simulated": done.simulated_lag},
        "assumptions": [{**each._asdict(), "moved": each.has_moved} for each in done.assumptions],
        "recommendation": {
            "then": promise.label,
            "now": done.answer,
            "same": done.is_same,
        },
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
