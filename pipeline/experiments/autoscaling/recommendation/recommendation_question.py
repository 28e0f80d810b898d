"""The question that a recommendation answers, checked before anything is simulated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import Floats, Longs, check_count
from algorithms.inference import time_blocks
from algorithms.inference.simplest_choice import Rule
from algorithms.inference.time_blocks import DAY_S
from algorithms.inference.week_draws import Spread
from algorithms.simulation import group_costs
from algorithms.simulation.group_costs import Prices
from algorithms.simulation.group_settings import (
    MAX_REPLICAS,
    GroupSettings,
    check_settings,
    check_totals,
    check_workload,
)
from algorithms.simulation.incident_kinds import Outage, Spot
from algorithms.simulation.incident_times import RETENTION_S
from algorithms.workloads import step_parts, within_steps
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes, consumer_settings
from pipeline.experiments.autoscaling.recommendation.blind_hour import BlindChecks
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective
from pipeline.experiments.autoscaling.recommendation.survived_events import SurvivalChecks

_MOST_CONFIDENCE = 0.999
"""Of 2,000 drawn weeks, two may miss the objective."""

_MOST_SPREAD = 2.0
_NEARLY = 0.9
"""Part of a day that counts as one: hours may be missing at its ends."""

_OF_STRATEGIES = ("decision_s", "cooldown_s", "initial_replicas", "min_replicas", "max_replicas")
"""Settings of the group that a candidate may have: all others are facts, or those of consumers."""

OPTIONS = {"mu": "--mu", "wsla_s": "--slo"}
"""Settings of the group that have options of their own."""


WITHIN_STEP = 0.3
"""Variation of the load within a recorded step, unless it is set."""

TRIED_WITHIN = (0.0, 0.3, 0.5)
"""Variations within a step for which the answer has constant numbers of replicas."""


class Question(NamedTuple):
    """What is asked."""

    objective: Objective
    """Share of the events within a latency."""
    mu: float
    """Rate at which one consumer serves, events/s."""
    prices: Prices = Prices()
    """What replicas, late events and moves cost."""
    settings: Mapping[str, Any] = {}
    """Settings of the group that differ from the defaults."""
    candidates: tuple[Candidate, ...] = ()
    """What to choose from; `candidate_grid.compared` if empty. ``constant`` without parameters
    stands for all numbers of replicas."""
    rule: Rule = Rule()
    """Chance with which the next week must keep the objective, and what a less simple candidate
    must save."""
    spread: Spread = Spread()
    """How days differ, as far as the recording does not show it."""
    topics: tuple[int, ...] = ()
    """Partitions of each topic, in the order of the columns; one topic if empty."""
    labels: tuple[str, ...] = ()
    """Name of each partition; their numbers if empty."""
    today: int | None = None
    """Replicas that the group has now."""
    averaged_s: float | None = None
    """Length of the times that the recorded rates are means of, s; that of a step if None."""
    within_step: float = WITHIN_STEP
    """Coefficient of variation of the load within that time, where the latency of the objective is
    shorter."""
    started_at: datetime | None = None
    """Start of the recording, UTC; from 14 days on, weekends then have levels of their own."""
    target: Target = Target()
    """What is deployed, and what the recording says of it."""
    currency: str = ""
    """Currency of the prices; empty if none is named."""
    outage: Outage = Outage()
    """How long the group stands still at its busiest hour."""
    retention_s: float = RETENTION_S
    """How long brokers keep events, s."""
    spot: Spot | None = None
    """Which replicas are spot instances, if some are; their price is in `prices`."""
    blind: BlindChecks | None = None
    """What is known of candidates that shrink when blind; None: they are not asked about."""
    survival: SurvivalChecks | None = None
    """What is known of candidates that do not survive events; None: none are asked for."""


def check_given(settings: Mapping[str, Any], candidates: Iterable[Candidate] = ()) -> None:
    """Check the settings and candidates that the user gives, as far as that needs no workload.

    Raises InputError if a setting has an option of its own, consumers of Kafka cannot have it, or a
        candidate has one that is the same for all candidates.
    """
    for candidate in candidates:
        for name in candidate.chosen_settings:
            if name not in _OF_STRATEGIES:
                raise InputError(
                    f"--strategy {candidate.label}: {name} is the same for all candidates; use "
                    f"{OPTIONS.get(name, f'--set {name}=…')} instead"
                )
    for name, option in OPTIONS.items():
        if name in settings:
            raise InputError(f"--set {name}={settings[name]}: use {option} instead")
    consumer_settings.compared(settings)


def prepare(
    rates: Floats, step_s: float, question: Question
) -> tuple[Bench, tuple[Consumers, ...]]:
    """Check and complete the settings. Raises InputError, or AlgorithmError without events."""
    group_costs.check_prices(question.prices)
    _check_rule(question)
    recorded = check_workload(rates)
    if not recorded.any():
        raise InputError("the workload must have events (all rates are 0)")
    workload, part_s = recorded, step_s
    if question.settings.get("arrivals") != "burst":
        workload, part_s = step_parts.refined(recorded, step_s)
    if has_bursts_within(question, step_s):
        parts = round((question.averaged_s or step_s) / part_s)
        seed = question.settings.get("seed", 0)
        workload = within_steps.varied(workload, parts, question.within_step, seed)
    unchecked = {
        **question.settings,
        "mu": question.mu,
        "wsla_s": question.objective.latency_s,
        "step_s": part_s,
    }
    checked = check_settings(startable(unchecked), workload.shape[1], part_s, None)
    check_totals(workload, checked)
    least, most = checked.min_replicas, checked.max_replicas
    initial = candidate_outcomes.initial_replicas(workload, part_s, question.mu, most)
    settings = {
        "initial_replicas": max(initial, least),
        **unchecked,
        "min_replicas": least,
        "max_replicas": most,
    }
    _check_latency(checked.mu, checked.wsla_s)
    days = time_blocks.block_edges(len(workload), part_s, DAY_S)
    bench = Bench(
        workload,
        settings,
        days,
        question.prices,
        question.topics or (workload.shape[1],),
        "max_replicas" in question.settings,
        _parts(workload, days, question),
    )
    if question.survival is not None:
        question.survival.check(bench)
    return bench, consumer_settings.compared(question.settings)


def has_bursts_within(question: Question, step_s: float) -> bool:
    """Whether bursts count that a recording does not have: shorter than its steps."""
    averaged_s = question.averaged_s or step_s
    is_uniform = question.settings.get("arrivals") != "burst"
    return is_uniform and question.objective.latency_s < averaged_s


def _parts(rates: Floats, edges: Longs, question: Question) -> int:
    """Steps with equal rates that groups that decide nothing can take as one."""
    if question.settings.get("arrivals") == "burst" or question.settings.get("poisson"):
        return 1
    changes = np.flatnonzero((rates[1:] != rates[:-1]).any(axis=1)) + 1
    return int(np.gcd.reduce(np.concatenate([edges[1:], changes])))


def _check_rule(question: Question) -> None:
    rule, spread = question.rule, question.spread
    check_number("confidence", rule.confidence, above=0.0, at_most=_MOST_CONFIDENCE)
    check_number("worth", rule.worth, at_least=0.0, at_most=1.0)
    check_number("day_spread", spread.day_spread, above=0.0, at_most=_MOST_SPREAD)
    check_number(
        "within_step", question.within_step, at_least=0.0, at_most=within_steps.MOST_VARIATION
    )
    if question.today is not None:
        check_count("today", question.today, 1, MAX_REPLICAS)


def whole_days(edges: Longs, step_s: float) -> int:
    """Whole days of a recording: 0 if it is shorter than one."""
    return int((np.diff(edges) * step_s >= _NEARLY * DAY_S).sum())


def completed(settings: Mapping[str, Any], partitions: int) -> GroupSettings:
    """Settings of the group with all defaults."""
    return check_settings(settings, partitions, settings["step_s"], None)


def startable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings, where groups start with the least number of replicas unless it is set."""
    least = settings.get("min_replicas", 1)
    return {"initial_replicas": max(least, 1) if isinstance(least, int) else 1, **settings}


def _check_latency(mu: float, wsla_s: float) -> None:
    """Refuse a latency below the one that each event has without any waiting."""
    least_s = 0.5 / mu
    if wsla_s < least_s:
        raise InputError(
            f"the latency of `--slo` must be at least {least_s:.6g} s with --mu {mu:g}, half of "
            f"the time that a consumer needs for an event (got {wsla_s:.6g} s)"
        )
