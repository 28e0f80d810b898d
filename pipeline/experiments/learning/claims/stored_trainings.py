"""Trainings as the rows of `trainings` have them, by experiment and variant."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from algorithms.core.arrays import Floats
from algorithms.learning.broker_training import Training
from algorithms.learning.learning_claim import Runs
from pipeline.experiments.learning.claims.trained_variants import Place
from pipeline.settings.learning_experiment import Cell


class StoredTrainings:
    """All trainings of a run on brokers, each read from its rows once."""

    def __init__(self, rows: pd.DataFrame) -> None:
        ordered = rows.sort_values(["seed", "episode"], kind="stable")
        self._rows = dict(iter(ordered.groupby(list(Cell._fields), sort=False)))
        self._known: dict[Cell, Training] = {}

    def of(self, place: Place) -> Runs:
        """Trainings of a variant by agent and reward, without weights."""
        one = place.experiment
        return {
            (agent, reward): self._training(Cell(one.name, agent, reward, place.variant))
            for agent, reward in product(one.agents, one.rewards)
        }

    def _training(self, cell: Cell) -> Training:
        if cell not in self._known:
            self._known[cell] = _training(self._rows[cell])
        return self._known[cell]


def _training(rows: pd.DataFrame) -> Training:
    """A training from a row per seed and episode, in this order."""
    seeds = rows["seed"].nunique()

    def matrix(name: str) -> Floats:
        values: Floats = rows[name].to_numpy(dtype=np.float64).reshape(seeds, -1)
        return values

    return Training(
        returns=matrix("total_reward"),
        losses=matrix("loss"),
        epsilons=matrix("epsilon"),
        greedy_returns=matrix("greedy_reward"),
        greedy_brokers=matrix("brokers"),
        greedy_over=matrix("over_slo_percent") / 100.0,
        greedy_moves=matrix("moves"),
        weights=(),
    )
