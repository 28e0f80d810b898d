"""Stages that simulate experiments again over seeds: their tasks, and mean rates to draw from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from pipeline.experiments.autoscaling.kernels import workload_kernel
from pipeline.experiments.autoscaling.stages.scaling_plans import TASKS_PER_CORE
from pipeline.experiments.autoscaling.stages.workload_streams import workload_of
from pipeline.warehouse.spark import session
from pipeline.warehouse.spark.stream_tasks import BatchKernel, by_experiment, mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.inputs.traces import Trace
    from pipeline.settings.scaling_experiment import ScalingExperiment
    from pipeline.warehouse.runs.stage import Work

Task = dict[str, object]
"""``experiment``, ``number`` and ``seed``, and what a stage adds."""


def of_seeds(one: ScalingExperiment, seeds: int, root: int, purpose: str) -> Iterator[Task]:
    """A row per seed. Seeds depend on root and purpose alone: experiments share them."""
    for number in range(1, seeds + 1):
        seed = derive_seed(root, purpose, number)
        yield {"experiment": one.name, "number": number, "seed": seed}


def carried_out(
    work: Work, tasks: Iterable[Task], kernel: BatchKernel, schema: pa.Schema
) -> DataFrame:
    """Rows that the kernel makes of the tasks, a few of these per core."""
    planned = work.spark.createDataFrame(pa.Table.from_pylist([*tasks]))
    spread = planned.repartition(session.cores(work.spark) * TASKS_PER_CORE)
    return by_experiment(mapped(spread, kernel, schema))


def mean_rates(
    one: ScalingExperiment,
    traces: Mapping[str, Trace],
    profile: Mapping[str, object],
    root: int,
    purpose: str,
) -> tuple[Floats, tuple[int, ...] | None]:
    """Mean rates of the workload, ``float64[N, P]``, events/s, and the sizes of its topics."""
    if one.trace is None:
        means = {**profile, "poisson": False}
        return workload_kernel.rates_of(means, derive_seed(root, purpose)), None
    workload = workload_of(one, traces[one.trace])
    return np.asarray(workload.rates, np.float64), workload.sizes
