"""What runs inside Spark's Python workers: Arrow tables in, kernels, Arrow tables out.

Each factory takes plain values and returns the function for ``mapInArrow`` or
``applyInArrow``; nothing of the session travels to the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from algorithms import latency, metrics, registry, streams, sweep
from pipeline import arrow

GroupKernel = Callable[[pa.Table], pa.Table]
PairKernel = Callable[[pa.Table, pa.Table], pa.Table]


class Workload(NamedTuple):
    """What a kernel must know of an experiment."""

    algorithms: tuple[str, ...]
    capacity: float
    consumer_capacity: float
    iteration_seconds: float
    rebalance_seconds: float
    clip: bool


Workloads = Mapping[str, Workload]


def load() -> None:
    """Load the machine code of all kernels, or compile what is not in the cache yet."""
    rates = streams.generate(
        partitions=2, iterations=2, delta=5.0, capacity=1.0, initial_rate=None, seed=0, clip=True
    )
    for name in registry.names():
        consumers = sweep.run(name, rates, 1.0, 0).consumers
    metrics.audit(rates, consumers, 1.0)
    latency.summarise(rates, consumers, 1.33, 30.0, 5.0)


def generate(
    workloads: Workloads,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Rows of `streams` to rows of `measurements`, one batch per stream."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for spec in batch.to_pylist():
                yield _measure(spec, workloads[spec["experiment"]])

    return run


def _measure(spec: dict[str, object], load: Workload) -> pa.RecordBatch:
    start = spec["initial_rate"]
    n = int(str(spec["n_iterations"]))
    rates = streams.generate(
        partitions=int(str(spec["n_partitions"])),
        iterations=n,
        delta=float(str(spec["delta"])),
        capacity=load.capacity,
        initial_rate=None if start == "uniform" else float(str(start)),
        seed=int(str(spec["seed"])),
        clip=load.clip,
    )
    return pa.RecordBatch.from_pydict(
        {
            "stream_id": _repeat(str(spec["stream_id"]), n),
            "experiment": _repeat(str(spec["experiment"]), n),
            "delta": pa.array(np.full(n, spec["delta"], dtype=np.float64)),
            "iteration": np.arange(1, n + 1, dtype=np.int32),
            "rates": arrow.lists(rates, np.isnan(rates)),
        }
    )


def assign(workloads: Workloads) -> GroupKernel:
    """Measurements of one stream to its assignments under every algorithm."""

    def run(measurements: pa.Table) -> pa.Table:
        ordered = arrow.in_order(measurements)
        first = {name: ordered[name][0].as_py() for name in ("experiment", "stream_id", "seed")}
        load = workloads[first["experiment"]]
        rates = arrow.rates(ordered["rates"])
        results = {
            name: sweep.run(name, rates, load.capacity, first["seed"]) for name in load.algorithms
        }
        fewest = sweep.reference_minimum(
            rates,
            load.capacity,
            first["seed"],
            {name: result.n_consumers for name, result in results.items()},
        )
        keys = ordered.select(["stream_id", "experiment", "delta", "iteration"])
        parts = [_assigned(keys, name, result, fewest) for name, result in results.items()]
        return pa.concat_tables(parts)

    return run


def _assigned(keys: pa.Table, name: str, result: sweep.SweepResult, fewest: np.ndarray) -> pa.Table:
    columns = {column: keys[column] for column in keys.column_names}
    return pa.table(
        columns
        | {
            "algorithm": _repeat(name, keys.num_rows),
            "n_consumers": result.n_consumers,
            "n_migrations": result.n_migrations,
            "rscore": result.rscore,
            "min_consumers": fewest,
            "consumers": arrow.lists(result.consumers, result.consumers < 0),
        }
    )


def measure_latency(workloads: Workloads) -> PairKernel:
    """Measurements and assignments of one stream to one latency row per algorithm."""

    def run(measurements: pa.Table, assignments: pa.Table) -> pa.Table:
        rows = []
        for algorithm, rates, part in _by_algorithm(measurements, assignments):
            experiment = part["experiment"][0].as_py()
            load = workloads[experiment]
            summary = latency.summarise(
                rates,
                arrow.consumers(part["consumers"]),
                load.consumer_capacity,
                load.iteration_seconds,
                load.rebalance_seconds,
            )
            keys = {
                "stream_id": part["stream_id"][0].as_py(),
                "experiment": experiment,
                "algorithm": algorithm,
            }
            rows.append(keys | summary._asdict())
        return _latency_table(rows)

    return run


def _latency_table(rows: list[dict[str, object]]) -> pa.Table:
    texts = {name: [row[name] for row in rows] for name in ("stream_id", "experiment", "algorithm")}
    counts = {
        name: pa.array([row[name] for row in rows], pa.int64())
        for name in ("n_samples", "n_positive")
    }
    numbers = {
        name: arrow.nullable([float(str(row[name])) for row in rows])
        for name in ("mean_consumers", "p50", "p90", "p99", "max")
    }
    bins = pa.array([row["histogram"] for row in rows], pa.list_(pa.int64()))
    return pa.table({**texts, **counts, **numbers, "histogram": bins})


def audit_assignments(workloads: Workloads) -> PairKernel:
    """Measurements and assignments of one stream to one audit row per algorithm.

    Everything is recomputed from the stored arrays; see `schemas` for the meaning of the
    columns.
    """

    def run(measurements: pa.Table, assignments: pa.Table) -> pa.Table:
        rows = []
        for algorithm, rates, part in _by_algorithm(measurements, assignments):
            keys = {"stream_id": part["stream_id"][0].as_py(), "algorithm": algorithm}
            capacity = workloads[part["experiment"][0].as_py()].capacity
            rows.append(keys | _sequence(part) | _audited(part, rates, capacity))
        return pa.Table.from_pylist(rows)

    return run


def _audited(part: pa.Table, rates: np.ndarray, capacity: float) -> dict[str, int]:
    consumers = arrow.consumers(part["consumers"])
    if consumers.shape != rates.shape:
        # Rows are missing or too many, or an array has another length: nothing can be matched.
        return dict.fromkeys(AUDIT_COUNTS, max(part.num_rows, 1))
    counts = metrics.audit(rates, consumers, capacity)._asdict()
    score = metrics.rscore(rates, consumers, capacity)
    stored = part["rscore"].to_numpy()
    return {name: int(value) for name, value in counts.items()} | {
        "consumers_mismatch": _differ(part["n_consumers"], metrics.n_consumers(consumers)),
        "migrations_mismatch": _differ(part["n_migrations"], metrics.n_migrations(consumers)),
        "rscore_mismatch": int(np.sum(score != stored)),
        "rscore_above_total": int(
            np.sum(stored > np.nansum(rates, axis=1) / capacity * (1 + 1e-9))
        ),
        "below_minimum": _below_minimum(part),
    }


AUDIT_COUNTS = (
    *metrics.Audit._fields,
    "consumers_mismatch",
    "migrations_mismatch",
    "rscore_mismatch",
    "rscore_above_total",
    "below_minimum",
)


def audit_measurements(batch: pa.Table) -> pa.Table:
    """Measurements of one stream to its audit row; ``width`` is the number of partitions."""
    lists = batch["rates"].combine_chunks()
    values = lists.flatten().drop_null().to_numpy(zero_copy_only=False)
    row = {"stream_id": batch["stream_id"][0].as_py()} | _sequence(batch)
    row["wrong_length"] = int(np.sum(lists.value_lengths().to_numpy() != batch["width"].to_numpy()))
    row["invalid_rates"] = int(np.sum(~(np.isfinite(values) & (values >= 0))))
    return pa.Table.from_pylist([row])


def _sequence(part: pa.Table) -> dict[str, int]:
    iterations = part["iteration"].to_numpy()
    return {
        "n_rows": len(iterations),
        "n_distinct_iterations": len(np.unique(iterations)),
        "first_iteration": int(iterations.min()),
        "last_iteration": int(iterations.max()),
    }


def _by_algorithm(
    measurements: pa.Table, assignments: pa.Table
) -> Iterator[tuple[str, np.ndarray, pa.Table]]:
    """Each algorithm's rows of one stream by iteration, with the stream's rates."""
    if not measurements.num_rows or not assignments.num_rows:
        return
    rates = arrow.rates(arrow.in_order(measurements)["rates"])
    order = assignments.sort_by([("algorithm", "ascending"), ("iteration", "ascending")])
    names = order["algorithm"].combine_chunks()
    runs = pa.compute.run_end_encode(names)
    start = 0
    for name, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
        yield name, rates, order.slice(start, end - start)
        start = end


def _below_minimum(part: pa.Table) -> int:
    if part["algorithm"][0].as_py() not in registry.reference_set():
        return 0
    return int(np.sum(part["n_consumers"].to_numpy() < part["min_consumers"].to_numpy()))


def _differ(stored: pa.ChunkedArray, computed: np.ndarray) -> int:
    return int(np.sum(stored.to_numpy() != computed))


def _repeat(text: str, times: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(np.zeros(times, dtype=np.int32), pa.array([text])).cast(
        pa.string()
    )
