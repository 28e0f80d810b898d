"""Rows of simulations under open settings, without simulating."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd

from pipeline.experiments.autoscaling.paper import group_claims, paired_claims
from pipeline.experiments.autoscaling.paper.open_settings import OPEN_SETTINGS, OpenSetting
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.settings.presets import CLAIMS, PRESETS
from pipeline.settings.scaling_experiment import ScalingExperiment
from pipeline.settings.strategy_names import candidates_of

Values = Mapping[str, Callable[[OpenSetting, int], float]]
"""Share in time by label, setting and number of the seed; others serve 90 %."""

NOTHING: Values = MappingProxyType({})

SPREAD = (0.0, 0.1, -0.1)
"""What seeds differ by, which pairing takes out."""


def experiment(name: str = "equal-5", preset: str = CLAIMS, **changes: Any) -> ScalingExperiment:
    """One of a preset on claims, with changes."""
    return ScalingExperiment(**{"name": name, **PRESETS[preset].experiments[name], **changes})


def runs(one: ScalingExperiment, values: Values = NOTHING) -> pd.DataFrame:
    """Rows of `claim_runs` with their labels."""
    return pd.DataFrame(_rows(one, values))


def _rows(one: ScalingExperiment, values: Values) -> Iterator[dict[str, Any]]:
    for candidate in candidates_of(one.strategies):
        served = values.get(candidate.label, lambda setting, number: 90.0)
        for setting in OPEN_SETTINGS:
            for number in range(1, one.claim_seeds + 1):
                yield {
                    "experiment": one.name,
                    "label": candidate.label,
                    "swept": setting.words,
                    **setting._asdict(),
                    "number": number,
                    "sla_percent": served(setting, number) + SPREAD[number % 3],
                    "replica_minutes": 50.0 if candidate.strategy == "overprovision" else 30.0,
                    "n_up": 0,
                    "n_down": 0,
                    "max": 2.0,
                    "late_after_up": 1.0,
                    "late_after_down": 3.0,
                }


def compared(
    one: ScalingExperiment, workload: str | None = "W1", values: Values = NOTHING
) -> PaperRun:
    """Simulations with the differences of all claims."""
    rows = runs(one, values)
    differences = [
        {"experiment": one.name, **row}
        for claim in group_claims.claims(one, workload)
        for row in paired_claims.differences(rows, claim, 0)
    ]
    return PaperRun(claim_runs=rows, claim_differences=pd.DataFrame(differences))
