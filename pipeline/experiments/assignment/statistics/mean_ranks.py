"""Rows of `rankings`: mean ranks, Friedman's test and the groups of a diagram."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from algorithms.assignment import registry
from algorithms.inference.ranks import groups, rank
from pipeline.experiments.assignment.statistics.score_matrices import METRICS, Scored


def rows(unit: Scored) -> Iterator[dict[str, Any]]:
    """Rows of an experiment and δ."""
    of_paper = registry.reference_set()
    for metric in METRICS:
        values = unit.compared(metric)
        ranking = rank(values)
        together = groups(ranking.mean_ranks, ranking.critical_difference)
        for i, mean_rank in enumerate(ranking.mean_ranks.tolist()):
            yield {
                **unit.keys,
                "metric": metric,
                "algorithm": unit.names[i],
                "reference": unit.names[i] in of_paper,
                "algorithms": values.shape[1],
                "mean_rank": mean_rank,
                "statistic": ranking.statistic,
                "p": ranking.p,
                "critical_difference": ranking.critical_difference,
                "groups": [number for number, of in enumerate(together, 1) if i in of],
                "note": _note(values.shape, ranking.p),
            }


def _note(shape: tuple[int, ...], p: float) -> str | None:
    if not math.isnan(p):
        return None
    if shape[0] < 2:
        return "fewer than 2 replicates"
    return "fewer than 3 algorithms" if shape[1] < 3 else "all equal on every replicate"
