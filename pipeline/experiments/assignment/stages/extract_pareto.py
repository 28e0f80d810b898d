"""Stage `extract_pareto`: means over replicates with intervals, and the fronts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from algorithms.assignment import registry
from algorithms.core.seeds import derive_seed
from algorithms.inference import intervals, pareto_front
from pipeline.experiments.assignment.results import studies
from pipeline.warehouse.spark import arrow
from schemas.tables.assignment.pareto import AVERAGED, ESTIMATED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pipeline.warehouse.runs.stage import Work

FRONTS = arrow.contract("pareto", without=("run_id",))
WITH_INTERVAL = (*ESTIMATED, "cbs_common")


def run(work: Work, scores: DataFrame, latency: DataFrame) -> DataFrame:
    """Rows of `pareto`."""
    return fronts(scores, latency, work.config.seed).coalesce(1)


def fronts(scores: DataFrame, latency: DataFrame, seed: int) -> DataFrame:
    """One row per experiment, δ and algorithm."""
    columns = ("experiment", "delta", "algorithm", "stream_id")
    waiting = latency.select("algorithm", "stream_id", "n_positive")
    chosen = scores.select(*columns, *AVERAGED, "cbs_common")
    chosen = chosen.join(waiting, ["algorithm", "stream_id"], "left")
    return chosen.groupBy("experiment", "delta").applyInArrow(extract(seed), arrow.struct(FRONTS))


def extract(seed: int) -> Callable[[pa.Table], pa.Table]:
    """Kernel over the scores of one experiment and δ, with ``n_positive`` of `latency`."""

    def kernel(scores: pa.Table) -> pa.Table:
        ordered = scores.sort_by([("algorithm", "ascending"), ("stream_id", "ascending")])
        names = sorted(set(ordered["algorithm"].to_pylist()), key=registry.sort_key)
        rows = [_average(ordered, name, seed) for name in names]
        in_reference = np.isin(names, registry.reference_set())
        eligible = np.array([_is_eligible(ordered, name) for name in names])
        is_recorded = ordered["delta"][0].as_py() is None
        flags = {
            "reference": in_reference,
            "eligible": eligible,
            "on_front": _front(rows, "mean_consumers" if is_recorded else "cbs", eligible),
            "on_reference_front": _front(rows, "cbs", in_reference),
        }
        return _table(ordered, rows, flags)

    return kernel


def _is_eligible(scores: pa.Table, name: str) -> bool:
    """Whether an algorithm can be chosen: as the module `decision` has it."""
    if studies.is_packing(name):
        return True
    waiting = scores.filter(pa.compute.equal(scores["algorithm"], name))["n_positive"]
    return waiting.null_count == 0 and not any(waiting.to_pylist())


def _front(rows: list[dict[str, object]], cost: str, among: np.ndarray) -> np.ndarray:
    points = np.array([(row[cost], row["mean_rscore"]) for row in rows], dtype=np.float64)
    flags = np.zeros(len(rows), dtype=bool)
    flags[among] = pareto_front.non_dominated(points[among])
    return flags


def _average(scores: pa.Table, name: str, seed: int) -> dict[str, object]:
    part = scores.filter(pa.compute.equal(scores["algorithm"], name))
    where = (str(part["experiment"][0]), str(part["delta"][0]), name)
    row: dict[str, object] = {"algorithm": name, "replicates": part.num_rows}
    for metric in WITH_INTERVAL:
        values = part[metric].to_numpy()
        chosen = derive_seed(seed, "interval", *where, metric)
        mean, low, high = intervals.mean_interval(values, seed=chosen)
        row |= {metric: mean, f"{metric}_low": low, f"{metric}_high": high}
    rest = [metric for metric in AVERAGED if metric not in WITH_INTERVAL]
    return row | {metric: float(np.mean(part[metric].to_numpy())) for metric in rest}


def _table(
    scores: pa.Table, rows: list[dict[str, object]], flags: dict[str, np.ndarray]
) -> pa.Table:
    n = len(rows)
    texts = {"algorithm": [row["algorithm"] for row in rows]}
    numbers = {
        name: arrow.nullable([float(str(row[name])) for row in rows])
        for name in rows[0]
        if name not in ("algorithm", "replicates")
    }
    return pa.table(
        {
            "experiment": [scores["experiment"][0].as_py()] * n,
            "delta": pa.array([scores["delta"][0].as_py()] * n, pa.float64()),
            **texts,
            "replicates": pa.array([row["replicates"] for row in rows], pa.int32()),
            **numbers,
            **flags,
        }
    ).select(FRONTS.names)
