"""Stage `score`: CBS (Eq. 28), mean Rscore (Eq. 29) and distances from bounds.

All are per stream and algorithm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels.gaps_kernel import KEYS, MEASURED_GAPS, measure_gaps
from pipeline.experiments.assignment.kernels.scores_kernel import NUMBERS, PER_DAY, SCORES, score
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import mapped
from schemas.tables.assignment.scores import GAPS

DAY_S = 86_400.0

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from pipeline.settings.run_config import RunConfig
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, streams: DataFrame, assignments: DataFrame, bounds: DataFrame) -> DataFrame:
    """Rows of `scores`; without partitions, an iteration's deviation counts as 0."""
    from pyspark.sql import functions as F

    described = streams.select("stream_id", "delta", "replicate", "initial_rate")
    numbers = stream_blocks.of_numbers(work, streams, assignments, NUMBERS)
    rows = mapped(numbers, score, SCORES).join(F.broadcast(described), "stream_id")
    rows = rows.withColumn(PER_DAY, _rebalances_per_day(work.config))
    if work.config.has_bounds:
        rows = with_gaps(rows, assignments, bounds)
    else:
        rows = rows.withColumns({name: F.lit(None).cast("double") for name in GAPS})
    # Fewer rows than before, in one file; `coalesce` would have one task do all of the work.
    return rows.repartition(1)


def _rebalances_per_day(config: RunConfig) -> Column:
    """Iterations with a move per day, by the length of each experiment's iterations."""
    from pyspark.sql import functions as F

    per_day = [
        F.when(F.col("experiment") == e.name, F.lit(DAY_S / e.iteration_seconds))
        for e in config.experiments
    ]
    return F.col("moving_share") * F.coalesce(*per_day)


def with_gaps(scores: DataFrame, assignments: DataFrame, bounds: DataFrame) -> DataFrame:
    """Scores with distances from bounds."""
    from pyspark.sql import functions as F

    rows = _beside_bounds(assignments, bounds).groupBy(*KEYS)
    gaps = rows.applyInArrow(measure_gaps, arrow.struct(MEASURED_GAPS))
    return scores.join(F.broadcast(gaps), [*KEYS], "left")


def _beside_bounds(assignments: DataFrame, bounds: DataFrame) -> DataFrame:
    """Values of every algorithm at each sampled iteration, joined with its bounds."""
    from pyspark.sql import functions as F

    ends = {"consumers": "fewest", "rscore": "least"}
    fewest, least = (
        bounds.where(F.col("kind") == kind).select(
            "stream_id",
            "iteration",
            *(["algorithm"] if kind == "rscore" else []),
            F.col("lower").alias(f"{name}_lower"),
            F.col("upper").alias(f"{name}_upper"),
        )
        for kind, name in ends.items()
    )
    values = assignments.select("stream_id", "algorithm", "iteration", "n_consumers", "rscore")
    place = ["stream_id", "iteration"]
    return values.join(F.broadcast(fewest), place).join(
        F.broadcast(least), [*place, "algorithm"], "left"
    )
