"""Groups that scale, in drawn histories: who joined where and when, and who is removed."""

from __future__ import annotations

from algorithms.simulation.drawn_placements import has_history
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes, screened_candidates
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)
from pipeline.experiments.autoscaling.recommendation.constant_counts import PLACEMENTS

_FLOOR = 0.01
_LEAST = 1e-9


def are_drawn(bench: Bench, run: Run) -> bool:
    """Whether a group that scales depends on its history."""
    is_static = bench.settings.get("static_members", False)
    are_starts_drawn = isinstance(bench.settings.get("startup_s"), str)
    is_placement_drawn = has_history(run.consumers.assignor) and not is_static
    return run.candidate.strategy != "constant" and (are_starts_drawn or is_placement_drawn)


def placed(
    bench: Bench,
    run: Run,
    row: list[CandidateOutcome],
    load: tuple[float, float],
    count: Count,
) -> list[list[CandidateOutcome]]:
    """Figures at several loads in each of `PLACEMENTS` histories.

    Each history is simulated on a quarter of the recording, at one load. What it changes there in
    late events and in cost, compared with the row's own history, it changes at all loads.

    bench, run, row: The workload, a candidate, and its figures at all loads.
    load: Factor on the load, and the share of the events that may be late.
    """
    factor, allowed = load
    part = screened_candidates.quarter(bench).scaled(factor)
    floor = max(allowed * _FLOOR, _LEAST)
    draws = range(1, PLACEMENTS + 1)
    benches = [part._replace(settings={**part.settings, "placement_draw": draw}) for draw in draws]
    first, *own = candidate_outcomes.run_each([part, *benches], run, count)
    return [
        [
            _changed(
                one,
                (each.late + floor) / (first.late + floor),
                float(each.totals.cost.sum()) / max(float(first.totals.cost.sum()), _LEAST),
                floor,
            )
            for one in row
        ]
        for each in own
    ]


def _changed(one: CandidateOutcome, late: float, cost: float, floor: float) -> CandidateOutcome:
    """The same with so many times the late events and the cost."""
    totals = one.totals
    more = (totals.late + floor * totals.events) * late - floor * totals.events
    return one._replace(
        totals=totals._replace(cost=totals.cost * cost, late=more.clip(0.0, totals.events))
    )
