"""One experiment in which brokers join and leave by decisions, as report and terminal show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from algorithms.learning import broker_model
from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.warehouse.runs.run_results import Results
from schemas.tables.brokers.broker_episodes import ACTING, KAFKA, LEARNING, ROWS


class Course(NamedTuple):
    """Episodes of a decider with a reward, on a cluster."""

    decider: str
    reward: str
    cluster: str
    """Kafka brokers or measured rows."""
    phase: str
    decisions: pd.DataFrame
    """Rows of `broker_episodes`, in order."""

    @property
    def objective_ms(self) -> float:
        """Bound of the 95th percentile of latency."""
        return broker_model.objective_ms(BrokerSettings(), self.reward)

    @property
    def episodes(self) -> list[pd.DataFrame]:
        """Decisions of each episode, in order."""
        return [own for _, own in self.decisions.groupby("episode")]

    def over(self, decisions: pd.DataFrame) -> float:
        """Share of intervals above the objective, or in which nothing was read."""
        latencies = decisions["end_to_end_ms"].astype(float)
        return float(((latencies > self.objective_ms) | latencies.isna()).mean())


class DecidingStudy(NamedTuple):
    """An experiment."""

    name: str
    setting: Mapping[str, Any]
    """Its configuration."""
    decisions: pd.DataFrame
    """Rows of `broker_episodes`."""

    @property
    def words(self) -> str:
        """What it does."""
        one = self.setting
        how = "learn on the cluster" if one["learns"] else "act on the cluster"
        return (
            f"{', '.join(one['decided_by'])} {how}: {one['live_episodes']} episodes of "
            f"{one['live_steps']} decisions of {one['decision_s']:g} s, {one['least_brokers']} to "
            f"{one['most_brokers']} brokers, {one['records_per_s']:,.0f} records/s"
        )

    def courses(self) -> Iterator[Course]:
        """By reward and decider, measured rows first."""
        keys = ["reward", "decider", "cluster", "phase"]
        groups = dict(iter(self.decisions.sort_values(["episode", "step"]).groupby(keys)))
        for reward in self.setting["rewards"]:
            for decider in self.setting["decided_by"]:
                for cluster in (ROWS, KAFKA):
                    for phase in (LEARNING, ACTING):
                        own = groups.get((reward, decider, cluster, phase))
                        if own is not None:
                            yield Course(decider, reward, cluster, phase, own)

    def compared(self, decider: str, reward: str) -> list[Course]:
        """A course on each cluster: the one in which it learned, if there is one."""
        own = [one for one in self.courses() if (one.decider, one.reward) == (decider, reward)]
        found = {}
        for one in sorted(own, key=lambda one: one.phase == LEARNING):
            found[one.cluster] = one
        return [found[cluster] for cluster in (ROWS, KAFKA) if cluster in found]


def deciding_studies(results: Results) -> list[DecidingStudy]:
    """The experiments of a run with decisions, in the order of its configuration."""
    return [
        DecidingStudy(setting["name"], setting, results.at(setting["name"])["broker_episodes"])
        for setting in results.config["brokers"]
        if setting["decided_by"]
    ]
