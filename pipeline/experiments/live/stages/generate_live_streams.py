"""Stage `generate_live_streams`: streams of live experiments, generated or recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pipeline.experiments.live.running import live_streams
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.row_slices import sliced

if TYPE_CHECKING:
    from pipeline.settings.live_experiment import LiveExperiment
    from pipeline.settings.run_config import RunConfig
    from pipeline.warehouse.runs.stage import Work

MEASURED = arrow.contract("measurements", without=("run_id",))


def run(work: Work) -> dict[str, Any]:
    """Rows of `streams` and `measurements`."""
    specs, parts = [], []
    for experiment in work.config.live:
        for spec in live_streams.specify(experiment, work.config):
            specs.append(spec)
            parts.append(measurements(experiment, work.config, spec))
    return {"streams": specs, "measurements": sliced(pa.Table.from_batches(parts))}


def measurements(
    experiment: LiveExperiment, config: RunConfig, spec: Mapping[str, Any]
) -> pa.RecordBatch:
    """Rows of `measurements` of a stream."""
    rates = live_streams.rates_of(experiment, config, spec["seed"])
    n = len(rates)
    return pa.RecordBatch.from_pydict(
        {
            "experiment": arrow.repeat(experiment.name, n),
            "delta": pa.array([experiment.delta] * n, pa.float64()),
            "stream_id": arrow.repeat(spec["stream_id"], n),
            "iteration": np.arange(1, n + 1, dtype=np.int32),
            "rates": arrow.lists(rates, np.isnan(rates)),
        },
        schema=MEASURED,
    )
