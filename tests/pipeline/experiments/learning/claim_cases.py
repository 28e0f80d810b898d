"""Tables of runs on claims, without training anything: how many seeds succeed decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from algorithms.learning import broker_optimum, broker_rollout
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import AGENTS
from pipeline.experiments.learning.claims import judged_claims
from pipeline.experiments.learning.claims.claim_measures import Tables
from pipeline.experiments.learning.claims.stored_trainings import StoredTrainings
from pipeline.experiments.learning.stages import judge_claims
from pipeline.settings.learning_experiment import LearningExperiment
from pipeline.settings.learning_presets import VARIATIONS

ROOT = 7
SHAPE: dict[str, Any] = {"rewards": ("count",), "held_out": 8}
Row = dict[str, Any]


def experiment(name: str, seeds: int = 30, **settings: Any) -> LearningExperiment:
    """Both agents with reward `count`, on 8 held-out episodes."""
    return LearningExperiment(**{"name": name, "seeds": seeds, **SHAPE, **settings})


def table(seeds: int = 10, **settings: Any) -> LearningExperiment:
    """The whole sensitivity table."""
    return experiment("table", seeds, **{"variants": VARIATIONS, "evaluate_every": 10, **settings})


def trainings(one: LearningExperiment, successes: int | Mapping[str, int]) -> pd.DataFrame:
    """The first seeds, by variant, reach the optimum, the others act randomly."""
    frames = []
    brokers = {variant: one.settings(variant).brokers for variant in one.variants}
    seeds = np.repeat(np.arange(1, one.seeds + 1), one.episodes)
    episodes = np.tile(np.arange(1, one.episodes + 1), one.seeds)
    for cell in one.cells():
        count = successes if isinstance(successes, int) else successes.get(cell.variant, 0)
        worst, best = _ends(brokers[cell.variant], cell.reward, one.held_out)
        columns = {"seed": seeds, "episode": episodes, **cell._asdict(), "total_reward": worst}
        columns["greedy_reward"] = np.where(seeds <= count, best, worst)
        columns |= {"loss": 0.5, "epsilon": 0.1, "brokers": 3.0, "moves": 1.0}
        frames.append(pd.DataFrame({**columns, "over_slo_percent": 10.0}))
    return pd.concat(frames)


@cache
def _ends(brokers: BrokerSettings, reward: str, held_out: int) -> broker_optimum.Ends:
    starts = broker_rollout.held_out(brokers, held_out, ROOT).starts
    return broker_optimum.ends(brokers, reward, starts)


def evaluations(one: LearningExperiment, left: Sequence[float | None]) -> pd.DataFrame:
    """Stored policies of all variants keep these shares of idle weights, by seed."""
    return pd.DataFrame(
        {"experiment": one.name, "policy": agent, "reward": "count", "variant": variant}
        | {"seed": seed, "over_slo_percent": 1.0, "idle_weight": weight}
        for variant in one.variants
        for agent in one.agents
        for seed, weight in enumerate(left, 1)
    )


def policies(*experiments: LearningExperiment) -> pd.DataFrame:
    """Settings of stored policies, a row per agent and variant."""
    return pd.DataFrame(
        {"experiment": one.name, "variant": variant, "settings": f"{variant}"}
        for one in experiments
        for variant in one.variants
        for _ in AGENTS
    )


def judged(
    pairs: Sequence[tuple[LearningExperiment, pd.DataFrame]], idle: pd.DataFrame | None = None
) -> list[Row]:
    """All rows of `learning_verdicts` on experiments with their trainings."""
    experiments = [one for one, _ in pairs]
    empty = pd.DataFrame(columns=["experiment", "policy", "variant", "seed", "idle_weight"])
    tables = Tables(
        StoredTrainings(pd.concat([rows for _, rows in pairs])),
        empty if idle is None else idle,
        policies(*experiments),
        ROOT,
    )
    return judge_claims.judged(judged_claims.rows(experiments, tables))["learning_verdicts"]


def of(rows: Sequence[Row], claim: str, subject: str | None = None) -> Row:
    """The only row of a claim, or that of a subject."""
    (row,) = [r for r in rows if r["claim"] == claim and subject in (None, r["subject"])]
    return row
