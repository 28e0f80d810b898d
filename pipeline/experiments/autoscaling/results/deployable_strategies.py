"""Strategies that can be deployed: those that see only the past."""

from __future__ import annotations

import pandas as pd

from algorithms.autoscaling import registry


def foresees(label: str) -> bool:
    """Whether a candidate must know rates beforehand."""
    return registry.get(registry.name_of(label)).foresees


def deployable(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of strategies that see only the past."""
    return rows[[not foresees(strategy) for strategy in rows["strategy"]]]
