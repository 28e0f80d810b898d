"""A policy on the load of a recorded trace, beside rules and the exact optimum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import (
    broker_baselines,
    broker_optimum,
    broker_rollout,
    success_verdicts,
)
from algorithms.learning.broker_rollout import Rollout
from algorithms.learning.cluster_settings import check_brokers
from pipeline.base.errors import InputError
from pipeline.experiments.learning.kernels.evaluation_kernel import rolled
from pipeline.experiments.learning.policies.policy_files import Policy
from pipeline.inputs import traces
from pipeline.inputs.traces.reading import RECOGNIZED, Reading
from pipeline.settings.learning_experiment import Settings

INTERVAL_S = 40.0
"""Time between decisions (Sect. 4 of the paper)."""

MAX_STEPS = 5000
"""Decisions of a trace: each episode draws noise for all of them."""

EPISODES = 64
"""Episodes, which differ in their start and noise."""

RULES = ("optimal", "threshold", "cpu", "random")


class Line(NamedTuple):
    """What a policy or rule reaches: means over the episodes."""

    name: str
    total_reward: float
    score: float
    brokers: float
    over_slo_percent: float
    moves: float


def evaluate(
    policy: Policy,
    trace: Path,
    unit_rate: float | None,
    seed: int,
    reading: Reading = RECOGNIZED,
) -> list[Line]:
    """The policy, rules, and the best fixed number of brokers on the load of a trace.

    unit_rate: Total rate that counts as a load of 1; None takes that of the policy's settings.
    Raises InputError if the trace cannot be used, or random actions are as good as the optimum on
        it.
    """
    brokers, reward = policy.settings.brokers, policy.reward
    own = brokers.records_per_s
    loads = loads_of(trace, own if unit_rate is None else unit_rate, reading)
    series = tuple(loads.tolist())
    try:
        brokers = check_brokers(replace(brokers, load=series, steps=len(series)))
        broker_optimum.ends(
            brokers, reward, broker_rollout.held_out(brokers, EPISODES, seed).starts
        )
    except InvalidParameterError as error:
        raise InputError(f"{trace}: {error}") from None
    settings = Settings(brokers, replace(policy.settings.agent, held_out=EPISODES))
    return list(_lines(policy, settings, seed))


def loads_of(trace: Path, unit_rate: float, reading: Reading = RECOGNIZED) -> Floats:
    """Load of each decision: mean total rate of 40 s; one row each if the file has no times.

    A measurement holds as in `pipeline.inputs.traces.resample`; after a long silence, time goes on
    with the next one.
    """
    if not (np.isfinite(unit_rate) and unit_rate > 0.0):
        raise InputError(f"`--unit-rate` must be a number above 0 (got {unit_rate})")
    recording = traces.resampled(traces.read(trace, reading), trace, INTERVAL_S)
    totals: Floats = np.nansum(recording.rates, axis=1)
    if not 2 <= len(totals) <= MAX_STEPS:
        raise InputError(
            f"{trace}: must have between 2 and {MAX_STEPS:,} intervals of {INTERVAL_S:g} s (got "
            f"{len(totals):,}); choose another part"
        )
    return totals / unit_rate


def _lines(policy: Policy, settings: Settings, seed: int) -> Iterator[Line]:
    brokers, reward = settings.brokers, policy.reward
    episodes = broker_rollout.held_out(brokers, settings.agent.held_out, seed)

    def line(name: str, result: Rollout) -> Line:
        mean = result.returns.mean()
        score = success_verdicts.scores(np.array(mean), brokers, reward, episodes.starts)
        return Line(
            name,
            float(mean),
            float(score),
            float(result.brokers.mean()),
            100.0 * float(result.over.mean()),
            float(result.moves.mean()),
        )

    yield line(policy.name, rolled(policy.weights, settings, reward, episodes))
    for name in RULES:
        yield line(name, broker_baselines.run(*settings, reward, name, seed, 0))
    fixed = [name for name in broker_baselines.names(brokers) if name.startswith("static_")]
    lines = [line(name, broker_baselines.run(*settings, reward, name, seed, 0)) for name in fixed]
    yield max(lines, key=lambda one: one.total_reward)
