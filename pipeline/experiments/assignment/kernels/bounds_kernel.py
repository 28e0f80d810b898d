"""Bounds: sampled iterations of whole streams to rows of `bounds`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from algorithms import bounds
from pipeline.experiments.assignment.kernels.row_blocks import Series, unpack
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

BOUNDS = arrow.contract("bounds", without=("run_id",))

ROWS_PER_BATCH = 200


class BoundsPlan(NamedTuple):
    """The settings of an experiment that the kernel needs."""

    capacity: float
    iterations: int
    """Iterations of each stream that are bounded."""
    seconds: float
    """Approximate time limit for one bound, s."""
    algorithms: tuple[str, ...]
    """Algorithms whose Rscore is bounded."""


def bound(plans: Mapping[str, BoundsPlan], lengths: Mapping[str, int]) -> BatchKernel:
    """Blocks of sampled iterations, and of the ones before, to rows of `bounds`."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return arrow.in_batches(_rows(batches, plans, lengths), ROWS_PER_BATCH, BOUNDS)

    return run


def _rows(
    batches: Iterable[pa.RecordBatch], plans: Mapping[str, BoundsPlan], lengths: Mapping[str, int]
) -> Iterator[dict[str, object]]:
    for stream_id, of_stream in groupby(unpack(batches), key=lambda series: series.stream_id):
        series = list(of_stream)
        rates, assigned = series[0], {str(s.algorithm): s for s in series[1:]}
        if rates.algorithm is not None or rates.cells is None:
            raise ValueError(f"stream {stream_id}: no rates, or lists that differ in length")
        plan = plans[rates.experiment]
        for iteration in bounds.sampled(lengths[stream_id], plan.iterations):
            yield from _of_iteration(rates, assigned, plan, iteration)


def _of_iteration(
    rates: Series, assigned: Mapping[str, Series], plan: BoundsPlan, iteration: int
) -> Iterator[dict[str, object]]:
    effort = bounds.effort(plan.seconds)
    speeds = _at(rates, iteration)
    keys = {"stream_id": rates.stream_id, "experiment": rates.experiment, "delta": rates.delta}
    keys |= {"iteration": iteration}

    def consumers() -> bounds.Bound:
        interval = bounds.fewest_consumers(speeds, plan.capacity, effort)
        # The twelve may have found fewer than the search did. Others do not count: which
        # of them are run must not change what anyone is compared with.
        return interval._replace(upper=min(interval.upper, _fewest_of_twelve(assigned, iteration)))

    row = keys | _timed(consumers) | {"kind": "consumers", "algorithm": None}
    yield row | {"l2": bounds.l2(speeds, plan.capacity)}
    if iteration == 1:
        return
    for name in plan.algorithms:
        before, now = _at(assigned[name], iteration - 1), _at(assigned[name], iteration)
        used = int(np.unique(now[now >= 0]).size)
        work = partial(bounds.least_rscore, speeds, plan.capacity, before, used, effort, now)
        yield keys | _timed(work) | {"kind": "rscore", "algorithm": name, "l2": None}


def _timed(work: Callable[[], bounds.Bound]) -> dict[str, object]:
    started = time.perf_counter()
    interval = work()
    return {
        "lower": _finite(interval.lower),
        "upper": _finite(interval.upper),
        "proved": interval.proved and math.isfinite(interval.upper),
        "method": interval.method,
        "seconds": time.perf_counter() - started,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _at(series: Series, iteration: int) -> NDArray[Any]:
    if series.cells is None:
        raise ValueError(f"{series.stream_id}, {series.algorithm}: lists differ in length")
    row = np.searchsorted(series.numbers["iteration"], iteration)
    return np.ascontiguousarray(series.cells[row])


def _fewest_of_twelve(assigned: Mapping[str, Series], iteration: int) -> int:
    """Fewest consumers of any of the twelve, stored in every algorithm's series with its own."""
    series = next(iter(assigned.values()))
    row = np.searchsorted(series.numbers["iteration"], iteration)
    return int(series.numbers["min_consumers"][row])
