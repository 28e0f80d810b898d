"""Rows of `dominance`: the algorithms that beat each of the paper's in both objectives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from algorithms.core.arrays import Floats
from algorithms.inference.paired import paired_interval
from algorithms.inference.pairwise_dominance import dominated
from pipeline.experiments.assignment.statistics.score_matrices import Scored

_NAMES = {"cbs_common": "cbs_difference", "mean_rscore": "rscore_difference"}


def rows(unit: Scored, means: Mapping[str, Floats]) -> Iterator[dict[str, Any]]:
    """Rows of an experiment and δ. means: Resampled means of each metric, drawn together."""
    for i in unit.reference:
        dominance = dominated(unit.cbs, unit.rscore, i)
        row = {
            **unit.keys,
            "algorithm": unit.names[i],
            "cbs_common": float(unit.cbs[:, i].mean()),
            "mean_rscore": float(unit.rscore[:, i].mean()),
            "dominated_by": None if dominance.by is None else unit.names[dominance.by],
            "dominators": dominance.dominators,
            "replicates_dominated": dominance.replicates,
        }
        yield row if dominance.by is None else row | _differences(unit, means, i, dominance.by)


def _differences(unit: Scored, means: Mapping[str, Floats], i: int, by: int) -> dict[str, float]:
    row: dict[str, float] = {}
    for metric, name in _NAMES.items():
        average = unit.values(metric).mean(axis=0)
        resampled = means[metric][:, by] - means[metric][:, i]
        value, low, high = paired_interval(resampled, float(average[by] - average[i]))
        row |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return row
