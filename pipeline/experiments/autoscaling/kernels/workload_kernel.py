"""Generated workloads: rows of `streams` to rows of `measurements`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from algorithms.core.seeds import derive_seed
from algorithms.workloads import load_profiles, partition_splits, poisson_counts
from pipeline.experiments.autoscaling.kernels import Plans
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

MEASURED = arrow.contract("measurements", without=("run_id",))


def generate(plans: Plans) -> BatchKernel:
    """Rows of `streams` to rows of `measurements`, one batch per stream."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for spec in batch.to_pylist():
                plan = plans[spec["experiment"]]
                rates = rates_of(plan.profile, spec["seed"])
                yield measurements(spec["stream_id"], spec["experiment"], rates)

    return run


def rates_of(profile: Mapping[str, Any], seed: int) -> NDArray[np.float64]:
    """Rates of a stream, float64[N, P] in events/s.

    profile: ``profile``, ``iterations``, ``low`` and ``high`` in events/s, ``partitions``,
        ``split``, ``weights`` of such a split, ``step_s`` and ``poisson``; see
        `pipeline.settings.scaling_experiment.ScalingExperiment`.
    seed: Seed of the stream, for the shape and for the counts.
    """
    total = load_profiles.generate(
        profile["profile"],
        profile["iterations"],
        profile["low"],
        profile["high"],
        derive_seed(seed, "profile"),
    )
    means = partition_splits.split(
        total, profile["partitions"], profile["split"], profile.get("weights")
    )
    if not profile["poisson"]:
        return means
    return poisson_counts.draw(means, profile["step_s"], derive_seed(seed, "counts"))


def measurements(stream_id: str, experiment: str, rates: NDArray[np.float64]) -> pa.RecordBatch:
    """Rows of `measurements` of a stream, without ``run_id``."""
    n = len(rates)
    return pa.RecordBatch.from_pydict(
        {
            "experiment": arrow.repeat(experiment, n),
            "delta": pa.nulls(n, pa.float64()),
            "stream_id": arrow.repeat(stream_id, n),
            "iteration": np.arange(1, n + 1, dtype=np.int32),
            "rates": arrow.lists(rates, np.isnan(rates)),
        },
        schema=MEASURED,
    )
