"""Contract of `latency`: how long data waits under each algorithm."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, long
from schemas.metric import Metric, metric_of
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import assignment_rules

HISTOGRAM_BINS = 82
"""One up to 1 ms, ten per decade from 1 ms to 100,000 s, one above."""

PERCENTILES = {
    "p50": "Median",
    "p90": "90th percentile",
    "p99": "99th percentile",
    "max": "Maximum",
}


def _percentile(name: str, which: str) -> Column:
    return double(
        name,
        "s",
        f"{which} of the latency samples above 0, pooled over all consumers and iterations. "
        "Infinite if it falls on data that the model never reads.",
        above=0,
        infinite=True,
        null="No sample is above 0.",
    )


_SAMPLES = (
    long("n_samples", "samples", "Samples: units of data written after the first iteration."),
    long("n_positive", "samples", "Samples with a latency above 0."),
    *(_percentile(name, which) for name, which in PERCENTILES.items()),
    Column(
        "histogram",
        "array<long>",
        "Samples above 0 in 82 bins whose upper ends are 10^(-3 + i/10) s for i from 0 to 80, "
        "then infinity. Upper ends are inclusive; the first bin starts above 0.",
        "samples",
        minimum=0,
    ),
)

_CHECKS = (
    Check(
        "positive_within_samples",
        "n_positive does not exceed n_samples.",
        "n_positive <= n_samples",
    ),
    Check(
        "percentiles_ordered",
        "Percentiles exist if and only if a sample is above 0, and p50 <= p90 <= p99 <= max.",
        "CASE WHEN n_positive = 0 "
        "THEN p50 IS NULL AND p90 IS NULL AND p99 IS NULL AND `max` IS NULL "
        "ELSE p50 <= p90 AND p90 <= p99 AND p99 <= `max` END",
    ),
    Check(
        "histogram_bins",
        f"The histogram has {HISTOGRAM_BINS} bins.",
        f"size(histogram) = {HISTOGRAM_BINS}",
    ),
    Check(
        "histogram_total",
        "The bins of the histogram add up to n_positive.",
        "aggregate(histogram, 0L, (total, n) -> total + n) = n_positive",
    ),
)

TABLE = Table(
    name="latency",
    meaning="Time data waits until it is read under an algorithm's assignments, from the "
    "queueing model of the paper's Section VI-C. Percentiles cover the samples above 0.",
    grain="stream and algorithm",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.STREAM_ID,
        shared_columns.EXPERIMENT,
        shared_columns.DELTA,
        shared_columns.INITIAL_RATE,
        shared_columns.REPLICATE,
        shared_columns.ALGORITHM,
        shared_columns.MEAN_CONSUMERS,
        *_SAMPLES,
    ),
    key=("run_id", "stream_id", "algorithm"),
    partition_by=("run_id", "experiment", "delta"),
    checks=_CHECKS,
    rules=(
        assignment_rules.every_stream_and_algorithm(
            "experiment", "delta", "initial_rate", "replicate"
        ),
    ),
)

METRICS = (
    # The share of two sums over all streams.
    Metric(
        name="delayed_share",
        table=TABLE.name,
        column="share",
        title="delayed data",
        head="delayed %",
        unit="%",
        decimals=2,
        averaging="total",
        tracked="latency_share_above_zero",
        factor=100.0,
    ),
    *(
        metric_of(
            TABLE,
            name,
            f"latency of delayed data, {which.lower()}",
            name,
            tracked=f"latency_{name}_s",
            averaging="maximum" if name == "max" else "median",
            gated=name != "max",
            followed=name != "max",
        )
        for name, which in PERCENTILES.items()
    ),
)
