"""A recommendation as plain values, for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.inference.intervals import Interval
from pipeline.autoscaling.recommendation.judged_candidates import Judged
from pipeline.autoscaling.recommendation.recommend import Recommendation


def record(recommendation: Recommendation, workload: str) -> dict[str, Any]:
    """All figures of a recommendation.

    What is not known is None; infinity, which JSON lacks, is the text ``Infinity``.
    """
    question = recommendation.question
    hours = np.diff(recommendation.edges) * recommendation.step_s / 3600.0
    answer, held_out = recommendation.answer, recommendation.held_out
    cold = recommendation.without_hot
    return {
        "workload": workload,
        "steps": recommendation.steps,
        "step_s": recommendation.step_s,
        "partitions": recommendation.partitions,
        "objective": {
            "percent": question.objective.percent,
            "latency_s": question.objective.latency_s,
        },
        "prices": question.prices._asdict(),
        "settings": plain(recommendation.settings),
        "blocks": {"count": hours.size, "mean_s": float(hours.mean() * 3600.0)},
        "answer": None if answer is None else judged(answer),
        "best": judged(recommendation.best),
        "usual": {name: judged(each) for name, each in recommendation.usual},
        "held_out": {
            "cost_per_hour": _number(held_out.cost),
            "on_time_percent": _number(100.0 * (1.0 - held_out.late)),
        },
        "candidates": [judged(each) for each in recommendation.ranked],
        "hot_partitions": recommendation.hot,
        "without_hot": None if cold is None else record(cold, workload),
    }


def judged(each: Judged) -> dict[str, Any]:
    """Figures of one candidate."""
    outcome = each.outcome
    return {
        "strategy": each.run.candidate.strategy,
        "label": each.run.candidate.label,
        "parameters": plain(dict(each.run.candidate.parameters)),
        "consumers": each.run.consumers._asdict(),
        "deployable": each.obstacle is None,
        "obstacle": each.obstacle,
        "keeps_objective": each.keeps,
        "probability": _number(each.probability),
        "cheapest_in": _number(each.first),
        "cost_per_hour": _interval(each.cost),
        "extra_cost_per_hour": _interval(each.extra),
        "on_time_percent": _interval(each.on_time, 100.0),
        "p99_s": _number(outcome.p99_s),
        "replicas": outcome.replicas,
        "moves_per_hour": outcome.moves_per_hour,
        "carried": outcome.carried,
    }


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values that JSON has: behaviours and policies as mappings."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        fields = getattr(value, "_asdict", None)
        return plain(fields()) if fields else [_plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _interval(interval: Interval, factor: float = 1.0) -> dict[str, float | str | None]:
    return {
        "value": _number(factor * interval.mean),
        "low": _number(factor * interval.low),
        "high": _number(factor * interval.high),
    }


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return "Infinity" if math.isinf(value) else value
