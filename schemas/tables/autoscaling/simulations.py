"""Contract of `simulations`: what each strategy costs on each stream."""

from functools import partial

from algorithms.core.group_declarations import StoredGroup
from algorithms.core.setting import declared
from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, long, text
from schemas.metric import metric_of
from schemas.rule import Check
from schemas.setting_column import setting_column
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns, scaling_rules

PERCENTILES = ("p50", "p90", "p95", "p99", "p999")
LATENCIES = ("mean", *PERCENTILES, "max")

_EMPTY = "The stream has no events."


def _latency(name: str, which: str) -> Column:
    return double(
        name,
        "s",
        f"{which} of the latency of all events, from arrival to the end of service. Infinite if it "
        "falls on events that were not served within the drain limit.",
        infinite=True,
        null=_EMPTY,
    )


def _actions(name: str, which: str) -> Column:
    return long(name, "actions", f"Actions with {which} replicas.")


_GROUP = tuple(map(setting_column, declared(StoredGroup).values()))

SETTINGS = tuple(column.name for column in _GROUP)
"""Settings of the group that a row has."""

_FIGURES = (
    double("replica_minutes", "replica-minutes", "Paid replicas, integrated over time."),
    double("sla_percent", "%", "Events with a latency of at most wsla_s.", 0, 100, null=_EMPTY),
    _latency("mean", "Mean"),
    *(_latency(name, f"Percentile {name[1:3]}{'.9' * (len(name) > 3)}") for name in PERCENTILES),
    _latency("max", "Maximum"),
    _actions("n_up", "more"),
    _actions("n_down", "fewer"),
    _actions("n_reassign", "as many"),
    long("partitions_moved", "partitions", "Partitions that a rebalance gave to another member."),
    double("peak_lag", "events", "Greatest total lag at any instant."),
    double("unconsumed", "events", "Total lag at the end."),
    double("stalled_s", "partition-seconds", "Time without consumption, summed over partitions."),
    double(
        "reprocessed",
        "events",
        "Events that removed members had served and not committed, which are served again.",
    ),
    double(
        "least_minutes",
        "replica-minutes",
        "Replica-minutes below which no strategy can have this sla_percent on the stream, even "
        "one that knows all arrivals beforehand.",
        null="The stream has no events, or the bound is not proved for the group.",
    ),
)

TABLE = Table(
    name="simulations",
    meaning="Cost of a strategy on a stream: replicas, latency and disruption of a simulated "
    "consumer group.",
    grain="stream and strategy with its parameters",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.WORKLOAD,
        shared_columns.REPLICATE,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        *_GROUP,
        text(
            "startup_pieces",
            "Distribution of which startup_s is the mean: FROM-TO:SHARE of each piece, in s.",
            null="Every start takes startup_s.",
        ),
        *_FIGURES,
    ),
    key=("run_id", "stream_id", *scaling_columns.CANDIDATE),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "bound_holds",
            "No strategy has fewer replica-minutes than the bound, beyond rounding.",
            "least_minutes IS NULL OR least_minutes <= replica_minutes * (1 + 1e-9) + 1e-9",
        ),
        Check(
            "latencies_ordered",
            "Latencies exist if and only if there are events, and p50 <= p90 <= p95 <= p99 <= p999 "
            "<= max.",
            "CASE WHEN sla_percent IS NULL THEN "
            + " AND ".join(f"`{name}` IS NULL" for name in LATENCIES)
            + " ELSE `mean` <= `max` + 1e-9 AND p50 <= p90 AND p90 <= p95 AND p95 <= p99 "
            "AND p99 <= p999 AND p999 <= `max` END",
        ),
    ),
    rules=(scaling_rules.every_candidate("SELECT stream_id, strategy, setting FROM {batch}"),),
)

_metric = partial(metric_of, TABLE, followed=False)
_mean = partial(_metric, interval=True, gated=True)

METRICS = (
    _mean("sla_percent", "events within the SLA", "SLA", 2, better="higher"),
    _mean("replica_minutes", "replica-minutes: paid replicas over time", "replica-min", 1),
    _mean("partitions_moved", "partitions moved by rebalances", "moved", 1),
    _metric(
        "p99",
        "latency of all events, 99th percentile",
        "p99",
        name="latency_p99",
        averaging="median",
        gated=True,
    ),
    _metric(
        "max", "latency of all events, maximum", "max", name="latency_max", averaging="maximum"
    ),
)
