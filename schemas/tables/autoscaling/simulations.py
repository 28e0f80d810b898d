"""Contract of `simulations`: what each strategy costs on each stream."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns, scaling_rules

PERCENTILES = ("p50", "p90", "p95", "p99", "p999")
LATENCIES = ("mean", *PERCENTILES, "max")


def _setting(name: str, meaning: str, unit: str = "s", type_: str = "double") -> Column:
    return Column(name, type_, meaning, unit, minimum=0)


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


_GROUP = (
    Column(
        "protocol",
        "string",
        "Rebalance protocol: which partitions a rebalance stops.",
        allowed=("eager", "cooperative", "incremental"),
    ),
    Column(
        "arrivals",
        "string",
        "Arrivals of a step's events: uniform over the step, or in a burst at its start.",
        allowed=("uniform", "burst"),
    ),
    Column("assignor", "string", "Assignor that places partitions where the strategy does not."),
    Column("mu", "double", "Rate at which one consumer serves.", "events/s", exclusive_minimum=0),
    Column(
        "wsla_s",
        "double",
        "Latency that the service level agreement allows.",
        "s",
        exclusive_minimum=0,
    ),
    _setting("startup_s", "Time until a new replica joins."),
    _setting("rebalance_s", "Duration of a rebalance."),
    _setting("heartbeat_s", "Time until a rebalance starts once all replicas have joined."),
    _setting("cooldown_s", "Time after the beginning of an action without decisions."),
    _setting("decision_offset_s", "Time from the start of a step to the decision in it."),
    _setting("initial_replicas", "Replicas at the start.", "replicas", type_="int"),
    _setting("min_replicas", "Least number of replicas.", "replicas", type_="int"),
    _setting("move_pause_s", "Time that a moved partition waits after its rebalance."),
    _setting("service_cv", "Coefficient of variation of service times.", "ratio"),
    _setting(
        "second_heartbeat_s",
        "Time until members learn of a second round, or at most of what they receive.",
    ),
    _setting(
        "assignment_interval_s",
        "Time by which the coordinator delays a rebalance under the protocol incremental.",
    ),
    _setting(
        "max_poll_records",
        "Most events of a batch, for which rounds of the classic protocols wait; 0: none waits.",
        "events",
        type_="int",
    ),
    _setting("commit_s", "Time between commits of a member; 0: strategies see the true lag."),
    Column("static_members", "boolean", "Whether members have instance ids."),
    Column("leave_on_close", "boolean", "Whether static members leave the group as they stop."),
    _setting("session_s", "Time until a static member is missed that has not left."),
    _setting(
        "placement_draw",
        "Drawn history of the order of members; 0: they are in the order of their ids.",
        "index",
        type_="int",
    ),
)

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
