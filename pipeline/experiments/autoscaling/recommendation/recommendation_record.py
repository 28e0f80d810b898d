"""A recommendation as plain values, for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.core import startup_times
from algorithms.inference.intervals import Interval
from algorithms.simulation.incident_figures import Recovery
from pipeline.experiments.autoscaling.recommendation import (
    cluster_versions,
    recommendation_question,
)
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindGroup
from pipeline.experiments.autoscaling.recommendation.changes import Changed
from pipeline.experiments.autoscaling.recommendation.constant_counts import CountsTried
from pipeline.experiments.autoscaling.recommendation.event_leaders import Leader
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question


def record(recommendation: Recommendation, workload: str) -> dict[str, Any]:
    """All figures of a recommendation; the unknown are None, and infinity is a text."""
    question = recommendation.question
    hours = np.diff(recommendation.edges) * recommendation.step_s / 3600.0
    answer, again = recommendation.answer, recommendation.again
    cold, is_stated = recommendation.without_hot, recommendation.is_stated
    return {
        "workload": workload,
        "steps": recommendation.steps,
        "step_s": recommendation.step_s,
        "partitions": recommendation.partitions,
        "topics": list(recommendation.topics),
        "objective": {
            "percent": question.objective.percent,
            "latency_s": question.objective.latency_s,
        },
        "rule": {
            **question.rule._asdict(),
            "day_spread": question.spread.day_spread,
            "within_step": question.within_step,
        },
        "prices": question.prices._asdict(),
        "settings": plain(recommendation.settings),
        "blocks": {"count": hours.size, "mean_s": float(hours.mean() * 3600.0)},
        "days": recommendation.days,
        "chance_is_stated": is_stated,
        "answer": None if answer is None else judged(answer, is_stated),
        "best": judged(recommendation.best, is_stated),
        "today": _or_none(recommendation.today, is_stated),
        "cheapest": _or_none(recommendation.cheapest, is_stated),
        "ideal": _or_none(recommendation.ideal, is_stated),
        "usual": {name: judged(each, is_stated) for name, each in recommendation.usual},
        "counts": [_counts(each) for each in recommendation.counts],
        "held_out": {
            "cost_per_hour": _number(again.cost),
            "on_time_percent": _number(100.0 * (1.0 - again.late)),
        },
        "within_step": [
            {"variation": variation, **_counts(counts)}
            for variation, counts in recommendation.within
        ],
        "recorded_group": _today(recommendation),
        "tried": recommendation.tried,
        "candidates": [judged(each, is_stated) for each in recommendation.ranked],
        "hot_partitions": recommendation.hot,
        "splitting": _splitting(recommendation),
        "what_if": [_changed(each, is_stated) for each in recommendation.changed],
        "asked": {
            "mu": question.mu,
            "settings": plain(question.settings),
            "strategies": [each.label for each in question.candidates],
            "today": question.today,
            **cluster_versions.recorded(question.target.cluster),
            **_members_per_replica(question.target),
            **_conditions(question),
        },
        "bad_hour": _bad_hour(recommendation),
        "survive": _survive(recommendation),
        "blind": [_blind(each) for each in recommendation.blind],
        "load": None if recommendation.load is None else recommendation.load._asdict(),
        "times": _times(recommendation),
        "without_hot": None if cold is None else record(cold, workload),
    }


def _conditions(question: Question) -> dict[str, Any]:
    """What else a recommendation had to do, or was allowed to; nothing by default."""
    asked: dict[str, Any] = {}
    if question.blind is not None and question.blind.allowed:
        asked["allow_blind"] = True
    if question.survival is not None:
        asked["survive"] = ",".join(event.text for event in question.survival.events)
    return asked


def _members_per_replica(target: Target) -> dict[str, int]:
    """What counts of members mean for pods; nothing where both are the same."""
    each = target.members_per_replica
    return {} if each == 1 else {"members_per_replica": each}


def _times(recommendation: Recommendation) -> dict[str, Any]:
    """Times of the group that the answer assumes, with all defaults."""
    group = recommendation_question.completed(recommendation.settings, recommendation.partitions)
    times = {"startup_s": group.mean_startup_s, "rebalance_s": group.rebalance_s}
    pieces = startup_times.text_of(group.startup_s)
    return plain(times | ({"startup_pieces": pieces} if pieces else {}))


def _or_none(each: Judged | None, is_stated: bool) -> dict[str, Any] | None:
    return None if each is None else judged(each, is_stated)


def _bad_hour(recommendation: Recommendation) -> dict[str, Any] | None:
    hour = recommendation.bad_hour
    if hour is None:
        return None
    return {
        "at_s": hour.at_s,
        "outage_s": hour.outage_s,
        "retention_s": hour.retention_s,
        "events": [
            {
                "kind": each.kind,
                "today": _recovery(each.today),
                "answer": _recovery(each.answer),
                "leader": _leader(each.leader),
            }
            for each in hour.events
        ],
    }


def _leader(leader: Leader | None) -> dict[str, Any] | None:
    if leader is None:
        return None
    return {
        "label": leader.run.candidate.label,
        "consumers": leader.run.consumers._asdict(),
        "keeps_objective": leader.endured.keeps,
        **(_recovery(leader.endured.recovery) or {}),
    }


def _survive(recommendation: Recommendation) -> dict[str, Any] | None:
    counts, calm = recommendation.surviving, recommendation.without_events
    if counts is None or calm is None:
        return None
    return {
        "assignor": counts.kind.assignor,
        "constant_replicas": counts.of_all,
        "events": [{"event": each.text, "constant_replicas": n} for each, n in counts.of_each],
        "without": _or_none(calm.answer, calm.is_stated),
    }


def _blind(group: BlindGroup) -> dict[str, Any]:
    return {
        "label": group.run.candidate.label,
        "consumers": group.run.consumers._asdict(),
        "shrinks": bool(group.shrinks),
        "trials": [
            {
                "kind": each.reads,
                "replicas_before": each.before,
                "fewest_replicas": each.least,
                "late_events": each.late,
                "shrinks": each.shrinks,
            }
            for each in group.trials
        ],
    }


def _recovery(recovery: Recovery | None) -> dict[str, Any] | None:
    if recovery is None:
        return None
    return {
        "late_events": recovery.late,
        "greatest_age_s": _number(recovery.longest_s),
        "lag_gone_after_s": _number(recovery.gone_after_s),
    }


def _today(recommendation: Recommendation) -> dict[str, Any] | None:
    today = recommendation.recorded
    if today is None:
        return None
    served = today.served
    return {
        "members": today.members,
        "served_per_member": None
        if served is None
        else {name: _number(value) for name, value in served._asdict().items()},
        "lag_p95": today.lag,
        "simulated_lag_p95": today.simulated_lag,
        "fits": today.fits,
    }


def _splitting(recommendation: Recommendation) -> dict[str, Any] | None:
    splitting, labels = recommendation.splitting, recommendation.question.labels
    if splitting is None:
        return None
    return {
        "partitions": [
            {
                "name": labels[each.column] if labels else str(each.column),
                "peak_over_mu": each.peak,
                "share_over_mean": each.share,
            }
            for each in splitting.partitions
        ],
        "least_on_recording": splitting.before,
        "least_if_split": splitting.after,
    }


def _changed(changed: Changed, is_stated: bool) -> dict[str, Any]:
    return {
        "change": changed.name,
        "answer": _or_none(changed.answer, is_stated),
        "constant_replicas": changed.counts.lasting,
        "constant_replicas_on_recording": next(iter(changed.counts.kept), None),
    }


def _counts(tried: CountsTried) -> dict[str, Any]:
    """Which constant numbers of replicas are enough, for one kind of consumers."""
    return {
        "assignor": tried.kind.assignor,
        "tried": [tried.least, tried.most],
        "keep_recording": list(tried.kept),
        "least_on_recording": tried.kept[0] if tried.kept else None,
        "least_next_week": tried.lasting,
        "failing_above": list(tried.failing_above),
    }


def judged(each: Judged, is_stated: bool) -> dict[str, Any]:
    """Figures of one candidate; its chance only where the recording is long enough to state it."""
    outcome = each.outcome
    return {
        "strategy": each.run.candidate.strategy,
        "label": each.run.candidate.label,
        "parameters": plain(dict(each.run.candidate.parameters)),
        "consumers": each.run.consumers._asdict(),
        "deployable": each.obstacle is None,
        "obstacle": each.obstacle,
        "keeps_objective": each.keeps,
        "keeps_recording": each.keeps_recording,
        "probability": _number(each.probability) if is_stated else None,
        "saves_in": _number(each.saves),
        "cost_per_hour": _interval(each.cost),
        "on_time_percent": _interval(each.on_time, 100.0),
        "p99_s": _number(outcome.p99_s),
        "replicas": outcome.replicas,
        "most_replicas": outcome.peak,
        "moves_per_hour": outcome.moves_per_hour,
        "carried": outcome.carried,
        "scalings_per_hour": outcome.scalings_per_hour,
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
