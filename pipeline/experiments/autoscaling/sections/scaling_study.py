"""One experiment as the report shows it: its words, its front, and the strategies to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.strategy import ASSIGNOR
from algorithms.core import startup_times
from pipeline.experiments.autoscaling.results.deployable_strategies import deployable
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results

_LOADS = {"equal": "equal load", "skew": "skewed load"}

GOAL = 99.0
"""Events within the SLA, in %, that a strategy should serve."""

REFERENCE = "keda_hpa"
"""The strategy that is always shown: the autoscaler in use."""

FIXED = "constant"
"""Strategy of a fixed group, which is what Kafka has without an autoscaler."""

MOST_SHOWN = 4

Row = Mapping[str, Any]
"""A row of `trade_offs`, with its ``label``."""


class Study(NamedTuple):
    """An experiment."""

    name: str
    setting: Mapping[str, Any]
    """Its configuration."""
    rows: pd.DataFrame
    """Rows of `trade_offs` with a column ``label``, the best service first."""

    @property
    def replicates(self) -> int:
        """Streams that its means are of."""
        return int(self.rows["replicates"].max())

    @property
    def front(self) -> pd.DataFrame:
        """Candidates that no other one dominates, of those that see only the past."""
        return self.rows[self.rows["on_front"]]

    @property
    def references(self) -> pd.DataFrame:
        """Candidates that must know rates beforehand."""
        return self.rows.drop(deployable(self.rows).index)

    @property
    def best(self) -> Row:
        """The best service of those that see only the past, if there are any."""
        return dict((self.rows if self.front.empty else self.front).iloc[0])

    @property
    def words(self) -> str:
        """Workload and group, for readers."""
        group = self.setting
        length = numbers.duration(float(group["iterations"]) * float(group["step_s"]))
        split = _LOADS.get(str(group["split"]), "weighted load")
        return (
            f"{group['profile'].replace('_', ' ')}, {group['partitions']} partitions, {split}, "
            f"{group['arrivals']} arrivals, {group['protocol']} rebalances of "
            f"{group['rebalance_s']:g}{numbers.SPACE}s, start-up {_startup(group)}; "
            f"{length}, {self.streams}"
        )

    @property
    def streams(self) -> str:
        """Number of streams, in words."""
        return f"{self.replicates} replicate{'s' if self.replicates > 1 else ''}"


def _startup(group: Mapping[str, Any]) -> str:
    return startup_times.words(group["startup_s"]).replace(" s", f"{numbers.SPACE}s")


def label(row: Mapping[str, Any]) -> str:
    """A strategy with its parameters."""
    return ":".join(part for part in (str(row["strategy"]), str(row["setting"])) if part)


def studies(results: Results) -> list[Study]:
    """All experiments with results, in the run's order."""
    rows = results["trade_offs"]
    rows = rows.assign(label=[label(row) for row in rows.to_dict("records")])
    ranked = rows.sort_values(
        ["sla_percent", "replica_minutes", "label"], ascending=[False, True, True], kind="stable"
    )
    there = set(rows["experiment"])
    return [
        Study(name, setting, ranked[ranked["experiment"] == name])
        for name, setting in results.experiments.items()
        if name in there
    ]


def scales(label: str) -> bool:
    """Whether a candidate may change its number of replicas."""
    strategy = strategies.name_of(label)
    return strategy != FIXED and registry.get(strategy).family != ASSIGNOR


def labelled(study: Study, label: str) -> Row | None:
    """The candidate of a label, if the experiment has it."""
    rows = study.rows[study.rows["label"] == label]
    return None if rows.empty else dict(rows.iloc[0])


def largest(study: Study) -> Row | None:
    """The largest fixed group, if the experiment has one."""
    rows = study.rows[study.rows["strategy"] == FIXED]
    if rows.empty:
        return None
    return dict(rows.sort_values(["replica_minutes", "label"], kind="stable").iloc[-1])


def cheapest(rows: pd.DataFrame) -> Row | None:
    """The candidate that reaches `GOAL` at the fewest replica-minutes, if any does.

    Strategies that know more than the past do not count. All of no events are served.
    """
    options = deployable(rows)
    enough = options[options["sla_percent"].fillna(100.0) >= GOAL]
    if enough.empty:
        return None
    return dict(enough.sort_values(["replica_minutes", "label"], kind="stable").iloc[0])


def shown(study: Study) -> list[Row]:
    """At most `MOST_SHOWN` candidates to look at, the best service first.

    The best service, the cheapest that reaches `GOAL`, one halfway in cost between that and the
    cheapest of all, each from `Study.front`, and `REFERENCE` with its defaults. If some of these
    are the same, further strategies from there follow.
    """
    front = study.front.to_dict("records")
    if not front:
        return []
    goal = cheapest(study.front) or front[0]
    least = min(row["replica_minutes"] for row in front)
    half = (goal["replica_minutes"] + least) / 2
    middle = min(front, key=lambda row: abs(row["replica_minutes"] - half))
    reference = study.rows[study.rows["label"] == REFERENCE].to_dict("records")
    picked = {row["label"]: row for row in (*reference, goal, front[0], middle)}
    for row in front:
        strategies = {one["strategy"] for one in picked.values()}
        if len(picked) < MOST_SHOWN and row["strategy"] not in strategies:
            picked[row["label"]] = row
    order = {label: place for place, label in enumerate(study.rows["label"])}
    return sorted(picked.values(), key=lambda row: order[row["label"]])
