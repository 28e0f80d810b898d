"""Contract of `simulations`: what each strategy costs on each stream."""

from algorithms.core.group_declarations import StoredGroup
from algorithms.core.setting import declared
from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.setting_column import setting_column
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns, scaling_rules

PERCENTILES = ("p50", "p90", "p95", "p99", "p999")
LATENCIES = ("mean", *PERCENTILES, "max")


def _latency(name: str, which: str) -> Column:
    return Column(
        name,
        "double",
        f"{which} of the latency of all events, from arrival to the end of service. Infinite if it "
        "falls on events that were not served within the drain limit.",
        "s",
        nullable=True,
        null_means="The stream has no events.",
        minimum=0,
        infinity_allowed=True,
    )


def _actions(name: str, which: str) -> Column:
    return Column(name, "long", f"Actions with {which} replicas.", "actions", minimum=0)


_GROUP = tuple(map(setting_column, declared(StoredGroup).values()))

SETTINGS = tuple(column.name for column in _GROUP)
"""Settings of the group that a row has."""

_FIGURES = (
    Column(
        "replica_minutes",
        "double",
        "Paid replicas, integrated over time.",
        "replica-minutes",
        minimum=0,
    ),
    Column(
        "sla_percent",
        "double",
        "Events with a latency of at most wsla_s.",
        "%",
        nullable=True,
        null_means="The stream has no events.",
        minimum=0,
        maximum=100,
    ),
    _latency("mean", "Mean"),
    *(_latency(name, f"Percentile {name[1:3]}{'.9' * (len(name) > 3)}") for name in PERCENTILES),
    _latency("max", "Maximum"),
    _actions("n_up", "more"),
    _actions("n_down", "fewer"),
    _actions("n_reassign", "as many"),
    Column(
        "partitions_moved",
        "long",
        "Partitions that a rebalance gave to another member than their last one.",
        "partitions",
        minimum=0,
    ),
    Column("peak_lag", "double", "Greatest total lag at any instant.", "events", minimum=0),
    Column("unconsumed", "double", "Total lag at the end.", "events", minimum=0),
    Column(
        "stalled_s",
        "double",
        "Time that partitions were not consumed, summed over partitions.",
        "partition-seconds",
        minimum=0,
    ),
    Column(
        "least_minutes",
        "double",
        "Replica-minutes below which no strategy can have this sla_percent on the stream, even one "
        "that knows all arrivals beforehand.",
        "replica-minutes",
        nullable=True,
        null_means="The stream has no events, or the bound is not proved for the group.",
        minimum=0,
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
