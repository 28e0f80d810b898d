"""How names of runs and metrics have an experiment and its δ."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from pipeline.reporting.sections import numbers

_FOREIGN = re.compile(r"[^A-Za-z0-9_. -]")


def where(experiment: str, delta: Any) -> str:
    """Experiment and δ, as names of runs have it."""
    return experiment + ("" if pd.isna(delta) else f" d={numbers.delta(delta)}")


def metric_place(experiment: str, delta: Any) -> str:
    """The same without the characters that MLflow does not allow in names of metrics."""
    return _FOREIGN.sub("", where(experiment, delta))
