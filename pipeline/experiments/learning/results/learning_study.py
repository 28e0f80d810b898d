"""One experiment on learning as report, terminal and MLflow show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.reporting.sections import numbers
from pipeline.settings.learning_experiment import LearningExperiment
from pipeline.warehouse.runs.run_results import Results


class Curve(NamedTuple):
    """Learning curves of an agent with a reward and a variant: a row per seed and episode."""

    agent: str
    reward: str
    variant: str
    rows: pd.DataFrame

    @property
    def scores(self) -> pd.DataFrame:
        """Scores of all seeds by episode that was evaluated: rows are seeds."""
        scored = self.rows[self.rows["score"].notna()]
        return scored.pivot_table(index="seed", columns="episode", values="score")


class Study(NamedTuple):
    """An experiment."""

    name: str
    setting: Mapping[str, Any]
    """Its configuration."""
    scores: pd.DataFrame
    trainings: pd.DataFrame
    evaluations: pd.DataFrame
    verdicts: pd.DataFrame
    """`scores`, `trainings`, `evaluations`, `verdicts`: its rows of these tables, in order."""

    @property
    def words(self) -> str:
        """What is trained, for readers."""
        own = self.setting
        variants = len(own["variants"])
        listed = "" if variants == 1 else f", {variants} variants"
        return (
            f"{numbers.listing(list(own['agents']))}, {own['seeds']} seeds, {own['episodes']} "
            f"episodes of {own['steps']} decisions{listed}"
        )

    @property
    def brokers(self) -> BrokerSettings:
        """Settings of the cluster that the first variant is trained on."""
        experiment = LearningExperiment(**self.setting)
        return experiment.settings(experiment.variants[0]).brokers

    def curves(self, variant: str) -> Iterator[Curve]:
        """Learning curves of a variant, by reward and agent."""
        for reward in self.setting["rewards"]:
            for agent in self.setting["agents"]:
                own = self.trainings
                where = (own["agent"] == agent) & (own["reward"] == reward)
                yield Curve(agent, reward, variant, own[where & (own["variant"] == variant)])


def studies(results: Results) -> list[Study]:
    """All experiments with results, in the run's order."""
    ordered = []
    for name, setting in results.experiments.items():
        own = results.at(name)
        scores = own["learning_scores"]
        if scores.empty:
            continue
        ranks = {
            "variant": list(setting["variants"]),
            "reward": list(setting["rewards"]),
            "agent": list(setting["agents"]),
        }
        order = scores.assign(
            **{f"_{key}": scores[key].map(values.index) for key, values in ranks.items()}
        ).sort_values([f"_{key}" for key in ranks], kind="stable")
        keys = ["variant", "reward", "agent", "seed", "episode"]
        verdicts = own["learning_verdicts"]
        number = verdicts["claim"].str.slice(1).astype(int) if len(verdicts) else verdicts["claim"]
        ordered.append(
            Study(
                name,
                setting,
                order[list(scores.columns)].reset_index(drop=True),
                own["trainings"].sort_values(keys, kind="stable"),
                own["evaluations"].sort_values(["variant", "reward", "policy", "seed"]),
                verdicts.assign(_number=number).sort_values(["_number", "subject"], kind="stable"),
            )
        )
    return ordered
