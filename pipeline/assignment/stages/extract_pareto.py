"""Stage `extract_pareto`: means over replicates with intervals, and the fronts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from algorithms.assignment import registry
from algorithms.core.seeds import derive_seed
from algorithms.inference import intervals, pareto_front
from pipeline.spark import arrow
from pipeline.storage import tables
from schemas.tables.assignment.pareto import AVERAGED, ESTIMATED

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.config.run_config import Unit
    from pipeline.runs.context import RunContext

FRONTS = arrow.contract("pareto", without=("run_id",))
WITH_INTERVAL = (*ESTIMATED, "cbs_common")


def run(spark: SparkSession, ctx: RunContext, units: Sequence[Unit] | None = None) -> None:
    """Write `pareto` of the run; it is not split into units."""
    from pyspark.sql import functions as F

    scores = tables.read(spark, "scores", ctx.paths, ctx.run_id)
    rows = fronts(scores, ctx.config.seed).withColumn("run_id", F.lit(ctx.run_id)).coalesce(1)
    tables.write(spark, rows, "pareto", ctx.paths, ctx.run_id)


def fronts(scores: DataFrame, seed: int) -> DataFrame:
    """One row per experiment, δ and algorithm (without ``run_id``)."""
    columns = ("experiment", "delta", "algorithm", "stream_id")
    chosen = scores.select(*columns, *AVERAGED, "cbs_common")
    return chosen.groupBy("experiment", "delta").applyInArrow(extract(seed), arrow.struct(FRONTS))


def extract(seed: int) -> Callable[[pa.Table], pa.Table]:
    """Kernel over the scores of one experiment and δ."""

    def kernel(scores: pa.Table) -> pa.Table:
        ordered = scores.sort_by([("algorithm", "ascending"), ("stream_id", "ascending")])
        names = sorted(set(ordered["algorithm"].to_pylist()), key=registry.sort_key)
        rows = [_average(ordered, name, seed) for name in names]
        points = np.array([(row["cbs"], row["mean_rscore"]) for row in rows], dtype=np.float64)
        in_reference = np.isin(names, registry.reference_set())
        on_reference = np.zeros(len(names), dtype=bool)
        on_reference[in_reference] = pareto_front.non_dominated(points[in_reference])
        return _table(ordered, rows, in_reference, pareto_front.non_dominated(points), on_reference)

    return kernel


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
    scores: pa.Table,
    rows: list[dict[str, object]],
    in_reference: np.ndarray,
    on_front: np.ndarray,
    on_reference: np.ndarray,
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
            "reference": in_reference,
            "replicates": pa.array([row["replicates"] for row in rows], pa.int32()),
            **numbers,
            "on_front": on_front,
            "on_reference_front": on_reference,
        }
    ).select(FRONTS.names)
