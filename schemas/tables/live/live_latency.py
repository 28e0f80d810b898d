"""Contract of `live_latency`: how long records wait on a broker."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, long
from schemas.metric import metric_of
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment.latency import HISTOGRAM_BINS, PERCENTILES
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules
from schemas.tables.live.live_runs import CONSUMERS


def _percentile(name: str, which: str) -> Column:
    return double(
        name,
        "s",
        f"{which} of the latency of all records: from when a record is due until a consumer takes "
        "it up.",
        null="There are no records.",
        measured=True,
    )


TABLE = Table(
    name="live_latency",
    meaning="Time that records wait on a broker until a consumer takes them up, under a strategy. "
    "Unlike in latency, percentiles cover all records, also those that do not wait.",
    grain="stream and strategy",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        shared_columns.REPLICATE,
        scaling_columns.STRATEGY,
        double("mean_consumers", "consumers", CONSUMERS, measured=True),
        long(
            "n_samples",
            "records",
            "Records that are due in sound iterations but the first, and were processed.",
            measured=True,
        ),
        long("n_positive", "records", "Records with a latency above 0.", measured=True),
        *(_percentile(name, which) for name, which in PERCENTILES.items()),
        Column(
            "histogram",
            "array<long>",
            "Records with a latency above 0 in the bins of latency.histogram.",
            "records",
            minimum=0,
            measured=True,
        ),
    ),
    key=("run_id", *live_rules.GROUP),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "positive_within_samples",
            "n_positive does not exceed n_samples.",
            "n_positive <= n_samples",
        ),
        Check(
            "percentiles_ordered",
            "Percentiles exist if and only if there are records, and p50 <= p90 <= p99 <= max.",
            "CASE WHEN n_samples = 0 "
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
    ),
    rules=(live_rules.every_strategy("SELECT stream_id, strategy FROM {batch}"),),
)

METRICS = tuple(
    metric_of(
        TABLE,
        name,
        f"latency of all records, {which.lower()}",
        name,
        name=f"live_{name}",
        averaging="maximum" if name == "max" else "median",
        followed=False,
    )
    for name, which in PERCENTILES.items()
)
