"""Rows of `comparisons`: all pairs of algorithms on the same streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from algorithms.core.arrays import Floats
from algorithms.inference.paired import compare
from pipeline.experiments.assignment.statistics.score_matrices import METRICS, MOST_COMPARED, Scored

FEW = "fewer than 2 replicates"
EQUAL = "equal on every replicate"


def rows(unit: Scored, means: Mapping[str, Floats]) -> Iterator[dict[str, Any]]:
    """Rows of an experiment and δ, from resampled means of each metric, for all algorithms."""
    for metric in METRICS:
        comparisons = compare(unit.compared(metric), means[metric][:, :MOST_COMPARED])
        columns = (column.tolist() for column in comparisons)
        for a, b, difference, low, high, statistic, p, p_holm in zip(*columns, strict=True):
            few = len(unit.cbs) < 2
            yield {
                **unit.keys,
                "metric": metric,
                "algorithm": unit.names[a],
                "other": unit.names[b],
                "mean_difference": difference,
                "low": low,
                "high": high,
                "statistic": statistic,
                "p": p,
                "p_holm": p_holm,
                "note": FEW if few else EQUAL if p != p else None,
            }
