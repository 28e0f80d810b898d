"""Measures the simulated cluster that agents learn in, and the trainings of the paper."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.broker_training import train
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import AGENTS
from pipeline.experiments.learning.environment.broker_environment import BrokerEnvironments
from tools.bench import results_file
from tools.bench.timing import median_seconds
from tools.console import say

CLUSTERS = 4_096
SEEDS, ROOT = 30, 2024
REWARD = "weighted"
STEPS_GOAL, TRAINING_GOAL = 1e6, 60.0
"""Least steps per second of 4,096 environments at once; most seconds of the 60 trainings."""

SECONDS = 2.0


class LearningTime(NamedTuple):
    """One measurement."""

    steps_per_s: float
    """Steps of single clusters per second on one core, `CLUSTERS` at once, in whole episodes of
    `BrokerEnvironments`: a reset, which draws all noise, and 45 steps."""
    training_s: float
    """Seconds of `SEEDS` trainings of each agent with the paper's recipe and 450 decisions, with
    256 held-out episodes after each of ten; and of compilation, unless it is in the cache."""


def main(file: Path) -> None:
    """Measure, print the row and write `learning` to a file."""
    row = LearningTime(steps_per_second(), sum(training_seconds()))
    print(f"steps of {CLUSTERS:,} clusters at once: {row.steps_per_s / 1e6:.1f} million/s")
    print(f"{SEEDS * len(AGENTS)} trainings of 450 decisions: {row.training_s:.1f} s")
    results_file.update(file, {"learning": row._asdict()})
    print(f"\n{file}")


def steps_per_second() -> float:
    """Steps of single clusters per second."""
    environments = BrokerEnvironments(CLUSTERS, BrokerSettings(), REWARD)
    steps = environments.settings.steps
    actions = np.random.default_rng(ROOT).integers(0, 3, (steps, CLUSTERS))

    def episode() -> None:
        environments.reset(seed=ROOT)
        for k in range(steps):
            environments.step(actions[k])

    episode()
    return CLUSTERS * steps / median_seconds(episode, SECONDS, fewest=10, most=1000)


def training_seconds() -> Iterator[float]:
    """Seconds of all seeds of each agent."""
    for agent in AGENTS:
        say(f"bench: {SEEDS} trainings of {agent}")
        start = time.perf_counter()
        train(BrokerSettings(), AgentSettings(), agent, REWARD, range(SEEDS), ROOT)
        yield time.perf_counter() - start
