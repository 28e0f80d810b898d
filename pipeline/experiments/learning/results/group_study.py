"""One experiment on agents of groups as report, terminal and MLflow show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from algorithms.learning.learning_names import AGENTS
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

ALL = "all"
"""Value of ``split`` for all test parts."""


class GroupStudy(NamedTuple):
    """An experiment."""

    name: str
    setting: Mapping[str, Any]
    """Its configuration."""
    scores: pd.DataFrame
    """Its rows of `group_scores`: by weight, then from the least regret on."""
    fronts: pd.DataFrame
    """Its rows of `group_fronts` over all test parts, the largest area first."""
    trainings: pd.DataFrame
    """Its rows of `trainings`."""

    @property
    def words(self) -> str:
        """What is trained, for readers."""
        own = self.setting
        variants = len(own["variants"])
        return (
            f"{numbers.listing(list(own['agents']))} on a consumer group, {own['seeds']} seeds, "
            f"{variants} variant{'s' * (variants != 1)}, {own['decisions']:,} decisions"
        )

    def weights(self) -> list[float]:
        """Weights of late events, ascending."""
        return sorted(self.scores["weight"].unique().tolist())

    def at(self, weight: float, split: str = ALL) -> list[dict[str, Any]]:
        """Scores at a weight, the least regret first: of each rule with its chosen parameters."""
        return [row for row in self.every_at(weight, split) if row["chosen"]]

    def every_at(self, weight: float, split: str = ALL) -> list[dict[str, Any]]:
        """The same, with all numbers of replicas of the rule `constant`."""
        own = self.scores[(self.scores["weight"] == weight) & (self.scores["split"] == split)]
        rows: list[dict[str, Any]] = own.to_dict("records")
        return rows

    def agents(self) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
        """Scores of each agent and variant over all test parts, with its rows of `trainings`."""
        for weight in self.weights():
            for row in self.at(weight):
                if row["policy"] in AGENTS:
                    own = self.trainings
                    where = (own["agent"] == row["policy"]) & (own["variant"] == row["parameters"])
                    yield row, own[where]


def group_studies(results: Results) -> list[GroupStudy]:
    """All experiments on agents of groups, in the run's order."""
    ordered = []
    for name, setting in results.experiments.items():
        own = results.at(name)
        scores = own["group_scores"]
        if not scores.empty:
            keys = ["weight", "split", "regret", "policy", "parameters"]
            ranked = scores.sort_values(keys, kind="stable")
            fronts = own["group_fronts"].sort_values(
                ["hypervolume", "policy", "variant"], ascending=[False, True, True]
            )
            areas = fronts[fronts["split"] == ALL]
            ordered.append(GroupStudy(name, setting, ranked, areas, own["trainings"]))
    return ordered


def written(row: Mapping[str, Any]) -> str:
    """A strategy with its setting, as it is written."""
    return f"{row['policy']}:{row['parameters']}" if row["parameters"] else str(row["policy"])
