"""Candidates over several experiments: what each serves, and what it costs in all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.experiments.autoscaling.results.deployable_strategies import foresees
from pipeline.experiments.autoscaling.sections.scaling_study import (
    FIXED,
    GOAL,
    Study,
    largest,
    scales,
)
from pipeline.warehouse.runs.run_results import Results, keyed


class Total(NamedTuple):
    """One strategy with its parameters, over several experiments."""

    name: str
    labels: Mapping[str, str]
    """Its label by experiment."""
    reached: int
    """Experiments in which it serves `GOAL`."""
    served: float
    """Events within the SLA in %, the mean over experiments."""
    minutes: NDArray[np.float64]
    """Replica-minutes of all these experiments together, by replicate."""

    @property
    def cost(self) -> float:
        """Replica-minutes, the mean over replicates."""
        return float(self.minutes.mean())


class Totals:
    """Adds up candidates over experiments.

    Replicates are added by number; where experiments have different numbers of them, by those that
    all have.
    """

    def __init__(self, results: Results, studies: Sequence[Study]) -> None:
        self._studies = studies
        replicates = min((study.replicates for study in studies), default=0)
        rows = keyed(results["simulations"])
        kept = rows[rows["replicate"] <= replicates].sort_values("replicate", kind="stable")
        self._minutes = {
            key: values.to_numpy(dtype=np.float64)
            for key, values in kept.groupby(["experiment", "algorithm"])["replica_minutes"]
        }
        self._served = {
            (study.name, label): float(value)
            for study in studies
            for label, value in zip(study.rows["label"], study.rows["sla_percent"], strict=True)
        }

    def common(self) -> list[Total]:
        """Candidates that every experiment has, that scale and see only the past, by name."""
        sets = [set(study.rows["label"]) for study in self._studies]
        names = sorted(set.intersection(*sets)) if sets else []
        return [
            self._of(name, {study.name: name for study in self._studies})
            for name in names
            if not foresees(name) and scales(name)
        ]

    def fixed(self) -> Total | None:
        """The largest fixed group of each experiment, if all have one."""
        groups = {study.name: largest(study) for study in self._studies}
        labels = {name: str(row["label"]) for name, row in groups.items() if row is not None}
        return self._of(FIXED, labels) if len(labels) == len(groups) > 0 else None

    def _of(self, name: str, labels: Mapping[str, str]) -> Total:
        values = [self._served[key] for key in labels.items()]
        # All of no events are served.
        served = [100.0 if math.isnan(value) else value for value in values]
        minutes = np.sum([self._minutes[key] for key in labels.items()], axis=0)
        reached = sum(value >= GOAL for value in served)
        return Total(name, labels, reached, float(np.mean(served)), minutes)
