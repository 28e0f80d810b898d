"""Simulations of the published application: one row per seed and policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from pipeline.experiments.autoscaling.paper.application_runs import simulate_seed

SIMULATED = pa.schema(
    {
        "seed": pa.int64(),
        "policy": pa.string(),
        "mean_instances": pa.float64(),
        "fewest": pa.int64(),
        "most": pa.int64(),
        "mean_s": pa.float64(),
        "peak_s": pa.float64(),
    }
)


def simulate_seeds(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows with a ``seed`` to rows of `SIMULATED`."""
    for batch in batches:
        rows = [
            {"seed": seed, "policy": policy, **figures._asdict()}
            for seed in batch.column("seed").to_pylist()
            for policy, figures in simulate_seed(seed).items()
        ]
        yield pa.RecordBatch.from_pylist(rows, schema=SIMULATED)
