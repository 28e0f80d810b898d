"""No knife edges: the choice among candidates is refined around its winner.

A threshold or a factor of the grid is rarely the best one. So the winner is compared with what lies
beside it, closer each time, until that changes the cost by less than `CLOSE`. A winner that has
neighbours which break the objective moves one step to the safe side.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from algorithms.autoscaling.candidates import candidate
from algorithms.inference.simplest_choice import NONE, Choice
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Run
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Evidence

CLOSE = 0.02
"""Difference of the costs of neighbours that ends the search."""

CONTINUOUS = {
    "keda_hpa": "threshold",
    "headroom": "h",
    "keda_http:headroom": "h",
    "keda_prometheus": "h",
    "headroom+placement": "h",
    "queueing": "r_max",
    "shadow_hedge": "w",
}
"""Continuous parameters by strategy."""

_FIRST_RATIO, _CLOSEST, _ROUNDS = 2.0**0.5, 2, 5
"""The ratio of neighbours is its root each time, `_CLOSEST` times."""
_FEWEST = 3
"""Candidates of a strategy from which its parameter was swept: others were named by the user."""

_DIGITS = 3


class Judgement(NamedTuple):
    """The evidence on all candidates so far, and what the rule chooses."""

    evidence: Evidence
    choice: Choice


def refined(
    first: Judgement, eligible: Collection[Run], judged: Callable[[tuple[Run, ...]], Judgement]
) -> Judgement:
    """Refine a choice.

    judged: Simulates further candidates, and chooses among all.
    Returns: With the neighbours that were simulated.
    """
    judgement = first
    centre = _winner(first)
    beside: tuple[Run, ...] = ()
    for place in range(_ROUNDS):
        # The last ratio again: a winner that has moved to a neighbour has neighbours of its own.
        ratio = _FIRST_RATIO ** (0.5 ** min(place, _CLOSEST))
        centre = _winner(judgement)
        beside = _beside(centre, ratio, eligible)
        if centre is None or not beside:
            return judgement
        judgement = judged(beside)
        is_inner = _winner(judgement) not in beside
        if _are_close(judgement, beside) or (is_inner and place >= _CLOSEST):
            break
    return judgement if centre is None or not beside else _safe(judgement, centre, beside)


def neighbours(run: Run, ratio: float) -> tuple[Run, ...]:
    """The same candidate with its continuous parameter divided and multiplied by a ratio."""
    name = run.candidate.strategy
    parameters = dict(run.candidate.parameters)
    parameter = CONTINUOUS.get(name)
    if parameter is None or parameter not in parameters:
        return ()
    value = parameters[parameter]
    others = (_rounded(value * each, value) for each in (1.0 / ratio, ratio))
    return tuple(
        run._replace(candidate=candidate(name, **{**parameters, parameter: other}))
        for other in others
        if other not in (0, value)
    )


def without_value(run: Run) -> Run:
    """A candidate whose continuous parameter is left open."""
    name, parameters = run.candidate
    open_ = CONTINUOUS.get(name)
    kept = tuple((key, None if key == open_ else value) for key, value in parameters)
    return run._replace(candidate=run.candidate._replace(parameters=kept))


def _rounded(value: float, like: float) -> float:
    if isinstance(like, int):
        return round(value)
    return float(f"{value:.{_DIGITS}g}")


def _beside(run: Run | None, ratio: float, eligible: Collection[Run]) -> tuple[Run, ...]:
    if run is None:
        return ()
    same = {
        each.candidate for each in eligible if each.candidate.strategy == run.candidate.strategy
    }
    return neighbours(run, ratio) if len(same) >= _FEWEST else ()


def _winner(judgement: Judgement) -> Run | None:
    pick = judgement.choice.pick
    return None if pick == NONE else judgement.evidence.runs[pick]


def _cost(judgement: Judgement, run: Run) -> float:
    return float(judgement.evidence.week.cost[judgement.evidence.runs.index(run)].mean())


def _are_close(judgement: Judgement, beside: tuple[Run, ...]) -> bool:
    """Whether the winner and its neighbours cost alike; it may be one of them by now."""
    winner = _winner(judgement)
    if winner is None:
        return True
    cost = _cost(judgement, winner)
    return all(abs(_cost(judgement, run) - cost) <= CLOSE * cost for run in beside)


def _safe(judgement: Judgement, centre: Run, beside: tuple[Run, ...]) -> Judgement:
    """One step to the safe side, if a neighbour of the winner breaks the objective.

    Of a winner that is itself a neighbour, not all neighbours are known: the one between them is
    chosen, which costs about as much.
    """
    winner, evidence = _winner(judgement), judgement.evidence
    if winner is None or not beside or winner.candidate.strategy != beside[0].candidate.strategy:
        return judgement
    keeps = [bool(evidence.keeps[evidence.runs.index(run)]) for run in beside]
    if winner in beside:
        safe = evidence.runs.index(centre)
    elif all(keeps) or not any(keeps):
        return judgement
    else:
        safe = evidence.runs.index(beside[keeps.index(True)])
    return judgement._replace(choice=judgement.choice._replace(pick=safe))
