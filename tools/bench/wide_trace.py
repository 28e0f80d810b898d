"""A generated stream as a recording of many partitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from algorithms.workloads import random_walk


def write(file: Path, partitions: int, iterations: int) -> None:
    """Write it with the columns iteration, partition and rate."""
    rates = random_walk.generate(
        partitions=partitions,
        iterations=iterations,
        delta=10.0,
        capacity=100.0,
        initial_rate=None,
        seed=7,
        clip=True,
    )
    names = pa.array([f"p{j}" for j in range(partitions)])
    which = np.tile(np.arange(partitions, dtype=np.int32), iterations)
    columns = {
        "iteration": pa.array(np.repeat(np.arange(1, iterations + 1), partitions)),
        "partition": pa.DictionaryArray.from_arrays(which, names).cast(pa.string()),
        "rate": pa.array(rates.ravel()),
    }
    pq.write_table(pa.table(columns), file)
