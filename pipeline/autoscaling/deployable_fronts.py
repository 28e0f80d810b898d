"""Fronts of the strategies that can be deployed: those that see only the past."""

from __future__ import annotations

import numpy as np
import pandas as pd

from algorithms.autoscaling import registry
from algorithms.inference import pareto_front


def foresees(label: str) -> bool:
    """Whether a candidate must know rates beforehand."""
    return registry.get(label.partition(":")[0]).foresees


def deployable(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of strategies that see only the past."""
    return rows[[not foresees(strategy) for strategy in rows["strategy"]]]


def with_fronts(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of `trade_offs` whose ``on_front`` is among deployable strategies, by experiment.

    Strategies that must know rates beforehand are references: they dominate nothing and are on no
    front.
    """
    found = rows.reset_index(drop=True).assign(on_front=False)
    for _, part in deployable(found).groupby("experiment"):
        losses = -part["sla_percent"].fillna(100.0), part["replica_minutes"]
        points = np.column_stack(losses).astype(np.float64)
        found.loc[part.index, "on_front"] = pareto_front.non_dominated(points)
    return found
