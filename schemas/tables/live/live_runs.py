"""Contract of `live_runs`: strategies that ran on a broker, and under which conditions."""

from functools import partial

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, flag, integer, text
from schemas.metric import metric_of
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules

CONSUMERS = "Mean number of consumers with partitions, over all iterations but the first."

SPEED_BINS = 151
"""Bins of ``batch_histogram``: 0 to 1 % of C̄, 1 to 2 %, …; the last one has no upper end."""


def _count(name: str, meaning: str, unit: str, kind: str = "int", least: int = 0) -> Column:
    return Column(name, kind, meaning, unit, minimum=least, measured=True)


_SETTINGS = (
    text(
        "mode",
        "When consumers look for commands: every 20 ms (prompt), or once per batch (cycle).",
        ("prompt", "cycle"),
    ),
    text(
        "speeds",
        "What the strategy decides on: the stream itself (given), or the monitor's measurements "
        "(measured).",
        ("given", "measured"),
    ),
    integer("n_partitions", "partitions", "Partitions of the topic.", 1),
    shared_columns.N_ITERATIONS,
    double("iteration_seconds", "s", "Length of an iteration.", above=0),
    double(
        "capacity", "bytes/s", "Packing capacity C: the planned maximum load per consumer.", above=0
    ),
    double("consumer_rate", "bytes/s", "Maximum throughput of a consumer.", above=0),
    integer("record_bytes", "bytes", "Size of a record's value.", 1),
    integer("nodes", "brokers", "Brokers, and replicas of each partition.", 1),
)

_CONDITIONS = (
    text("kafka_version", "Version of the brokers."),
    text("client_version", "Version of the client library."),
    integer("cores", "cores", "Processor cores of the machine.", 1, measured=True),
    double("load", "processes", "Load of the machine in the run's last minute.", measured=True),
    double(
        "overhead",
        "ratio",
        "Bytes in the brokers' logs per byte of a record's value.",
        null="The run did not measure it: speeds were given.",
        measured=True,
    ),
)

_FIGURES = (
    _count(
        "unsound_iterations",
        "Iterations in which the 99th percentile of the producer's lateness exceeds 100 ms; they "
        "are left out of live_latency and live_agreement.",
        "iterations",
    ),
    _count("faults", "Faults in the controller's journal, such as a lost consumer.", "faults"),
    flag("drained", "Whether consumers were waited for until they had processed all records."),
    _count("sent", "Records that the producer sent.", "records", "long"),
    _count("read", "Different records that consumers processed.", "records", "long"),
    double(
        "sla_percent",
        "%",
        "Records that were processed within 0.5 s of when they were due, of those due in sound "
        "iterations but the first; unprocessed ones are not in time.",
        0,
        100,
        null="No record is due in them.",
        measured=True,
    ),
    double(
        "peak_s",
        "s",
        "Longest time of these records from when they were due until they were processed.",
        null="None of them was processed.",
        measured=True,
    ),
    double(
        "replica_minutes",
        "replica-minutes",
        "Consumers, as in mean_consumers, over the time of all iterations.",
        measured=True,
    ),
    _count("n_up", "Times that the group got more consumers, after its start.", "actions"),
    _count("n_down", "Times that it got fewer.", "actions"),
    integer(
        "rebalances",
        "rebalances",
        "Placements that the group's leader made after the start.",
        null="It is no group whose assignor asks.",
        measured=True,
    ),
    double("mean_consumers", "consumers", CONSUMERS, measured=True),
    _count("plans", "Plans that changed owners: rows of live_plans.", "plans"),
    _count("moves", "Partitions that got another consumer.", "partitions"),
    double(
        "gap_p50_s",
        "s",
        "Median time from the last record of a partition at its old consumer to the first one at "
        "the new consumer.",
        null="No partition was processed by two consumers.",
        measured=True,
    ),
    Column(
        "batch_histogram",
        "array<long>",
        "Full batches that follow a full one, by speed as a share of consumer_rate: 0 to 1 %, 1 to "
        "2 %, …; the last of 151 bins has all above 150 %. The speed is the size of a batch by the "
        "time since its consumer has finished the batch before.",
        "batches",
        nullable=True,
        null_means="Consumers have no batches: mode is prompt.",
        minimum=0,
        measured=True,
    ),
)

TABLE = Table(
    name="live_runs",
    meaning="Runs of one strategy on one stream, on a real Kafka broker: settings and conditions, "
    "and what happened in total.",
    grain="stream and strategy",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        shared_columns.REPLICATE,
        scaling_columns.STRATEGY,
        *_SETTINGS,
        *_CONDITIONS,
        *_FIGURES,
    ),
    key=("run_id", *live_rules.GROUP),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "capacity_within_rate",
            "The packing capacity is at most what a consumer processes.",
            "capacity <= consumer_rate",
        ),
        Check(
            "read_within_sent",
            "Not more records were processed than sent; all of them if consumers were waited for.",
            "`read` <= sent AND (NOT drained OR `read` = sent)",
        ),
        Check(
            "few_unsound",
            "At most 5 % of the iterations are unsound.",
            "unsound_iterations * 20 <= n_iterations",
        ),
        Check(
            "batches_in_cycles",
            "Exactly consumers in mode cycle have a histogram, of 151 bins.",
            "CASE WHEN mode = 'cycle' THEN batch_histogram IS NOT NULL AND "
            f"size(batch_histogram) = {SPEED_BINS} ELSE batch_histogram IS NULL END",
        ),
    ),
    rules=(live_rules.every_strategy("SELECT stream_id, strategy FROM {batch}"),),
)

# Measurements differ from run to run: none is gated.
_metric = partial(metric_of, TABLE, followed=False)

METRICS = (
    _metric("mean_consumers", "consumers in use", "consumers", 2, name="live_consumers"),
    _metric("moves", "partitions moved on the broker", "moved", 1, name="live_moves"),
)
