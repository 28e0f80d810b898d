"""The question that a recommendation answers, checked before anything is simulated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from algorithms.autoscaling.candidates import Candidate
from algorithms.core.arrays import Floats
from algorithms.inference import time_blocks
from algorithms.simulation import group_costs
from algorithms.simulation.group_costs import Prices
from algorithms.simulation.group_settings import check_settings, check_totals, check_workload
from pipeline.autoscaling.recommendation import candidate_outcomes, consumer_settings
from pipeline.autoscaling.recommendation.candidate_outcomes import Bench
from pipeline.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.autoscaling.recommendation.manifests import Target
from pipeline.autoscaling.recommendation.service_objective import Objective
from pipeline.errors import InputError

STARTUP_S = 10.0
"""Time until a new replica joins, unless it is set: a pod is scheduled and its program starts."""

_OF_STRATEGIES = ("decision_s", "cooldown_s", "initial_replicas", "min_replicas", "max_replicas")
"""Settings of the group that a candidate may have: all others are facts, or those of consumers."""

OPTIONS = {"mu": "--mu", "wsla_s": "--slo"}
"""Settings of the group that have options of their own."""


class Question(NamedTuple):
    """What is asked.

    Attributes
    ----------
    objective : Objective
        Share of the events within a latency.
    mu : float
        Rate at which one consumer serves, events/s.
    prices : Prices
        What replicas, late events and moves cost.
    settings : mapping
        Settings of the group that differ from the defaults.
    candidates : tuple of Candidate
        What to choose from; `candidate_grid.compared` if empty. ``constant`` without parameters
        stands for all numbers of replicas.
    block_s : float or None
        Length of a block, s; see `time_blocks.block_edges`.
    target : Target
        What is deployed, and what the recording says of it.
    """

    objective: Objective
    mu: float
    prices: Prices = Prices()
    settings: Mapping[str, Any] = {}
    candidates: tuple[Candidate, ...] = ()
    block_s: float | None = None
    target: Target = Target()


def check_given(settings: Mapping[str, Any], candidates: Iterable[Candidate] = ()) -> None:
    """Check the settings and candidates that the user gives, as far as that needs no workload.

    Raises
    ------
    InputError
        If a setting has an option of its own, consumers of Kafka cannot have it, or a candidate has
        one that is the same for all candidates.
    """
    for candidate in candidates:
        for name in candidate.settings:
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
    """Check everything, and complete the settings.

    Raises
    ------
    InputError, AlgorithmError
        If the workload has no events, or a value is out of bounds.
    """
    group_costs.check_prices(question.prices)
    workload = check_workload(rates)
    if not workload.any():
        raise InputError("the workload must have events (all rates are 0)")
    if question.settings.get("arrivals") != "burst":
        workload, step_s = candidate_outcomes.refined(workload, step_s)
    given = {
        **question.settings,
        "mu": question.mu,
        "wsla_s": question.objective.latency_s,
        "step_s": step_s,
    }
    checked = check_settings(startable(given), workload.shape[1], step_s, None)
    check_totals(workload, checked)
    least, most = checked.min_replicas, checked.max_replicas
    initial = candidate_outcomes.initial_replicas(workload, step_s, question.mu, most)
    settings = {
        "startup_s": STARTUP_S,
        "initial_replicas": max(initial, least),
        **given,
        "min_replicas": least,
        "max_replicas": most,
    }
    _check_latency(checked.mu, checked.wsla_s)
    edges = time_blocks.block_edges(len(workload), step_s, question.block_s)
    kinds = consumer_settings.compared(question.settings)
    return Bench(workload, workload.max(axis=0), settings, edges, question.prices), kinds


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
