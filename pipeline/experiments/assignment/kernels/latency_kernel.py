"""Latency: blocks of rates and assignments to one row per stream and algorithm."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from algorithms.scores import latency_model
from pipeline.experiments.assignment.kernels import Workload, Workloads
from pipeline.experiments.assignment.kernels.row_blocks import OF_STREAMS, Series, per_algorithm
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

LATENCIES = arrow.contract("latency", without=("run_id", *OF_STREAMS))


def measure_latency(workloads: Workloads) -> BatchKernel:
    """Latency of each assignment sequence; rows of `latency` without the columns of `streams`."""
    return per_algorithm(workloads, _row, LATENCIES)


def _row(rates: NDArray[np.float64], series: Series, load: Workload) -> dict[str, object]:
    if series.cells is None:
        raise ValueError(f"{series.stream_id}, {series.algorithm}: lists differ in length")
    summary = latency_model.summarise(
        rates,
        series.cells,
        load.consumer_capacity,
        load.iteration_seconds,
        load.rebalance_seconds,
    )
    keys = {name: getattr(series, name) for name in ("stream_id", "experiment", "algorithm")}
    values = {name: _known(value) for name, value in summary._asdict().items()}
    return keys | values


def _known(value: object) -> object:
    """Null in place of NaN, which means that there are no samples."""
    return None if isinstance(value, float) and math.isnan(value) else value
