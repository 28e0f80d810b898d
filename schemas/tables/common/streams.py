"""Contract of `streams`: the workloads of a run."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, long, text, timestamp
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import assignment_rules

_COLUMNS = (
    shared_columns.RUN_ID,
    shared_columns.STREAM_ID,
    shared_columns.EXPERIMENT,
    text(
        "source",
        "Source of the write speeds: generated (a random walk), profile (a load profile), or "
        "trace (a recorded file).",
        ("generated", "profile", "trace"),
    ),
    shared_columns.DELTA,
    shared_columns.REPLICATE,
    long(
        "seed",
        "identifier",
        "Seed of the stream's random numbers: of the walk, if generated, and of the order in "
        "which the online algorithms process the partitions; of a profile's shape and counts.",
    ),
    shared_columns.INITIAL_RATE,
    Column(
        "partitions",
        "array<string>",
        "Names of the partitions, in the order of the arrays of rates and consumers.",
    ),
    shared_columns.N_ITERATIONS,
    double(
        "capacity",
        "bytes/s, or events/s in autoscaling",
        "Packing capacity C: the planned maximum load per consumer; in autoscaling, the rate mu "
        "at which a consumer serves.",
        above=0,
    ),
    double(
        "consumer_capacity",
        "bytes/s, or events/s in autoscaling",
        "Consumption capacity: the measured maximum throughput of a consumer, at least capacity. "
        "Used by the latency model.",
        above=0,
    ),
    text("name", "Name of the profile, or of the trace's file.", null="Random walk."),
    timestamp(
        "started_at",
        "Start of the first iteration, UTC.",
        null="A random walk, a profile, or a file without a clock.",
    ),
    double("step_s", "s", "Length of an iteration.", above=0),
    text("unit", "Unit of the rates.", ("bytes/s", "events/s")),
    Column(
        "topics",
        "array<string>",
        "Names of the topics, in the order of their partitions; empty text where topics have no "
        "name.",
    ),
    Column("topic_sizes", "array<int>", "Partitions of each topic.", "partitions", minimum=1),
    text("digest", "SHA-256 of the trace's rates, in hexadecimal.", null="Random walk or profile."),
)

_CHECKS = (
    Check("partitions_given", "A stream has at least one partition.", "size(partitions) >= 1"),
    Check(
        "partitions_distinct",
        "No two partitions of a stream have the same name.",
        "size(array_distinct(partitions)) = size(partitions)",
    ),
    Check(
        "topics_sized",
        "Each topic has a size, and the sizes of topics add up to all partitions.",
        "size(topics) = size(topic_sizes) "
        "AND aggregate(topic_sizes, 0, (total, n) -> total + n) = size(partitions)",
    ),
    Check(
        "capacity_within_consumption",
        "The packing capacity is at most the consumption capacity.",
        "capacity <= consumer_capacity",
    ),
    Check(
        "generated_described",
        "A generated stream has delta and initial rate, but no name or digest.",
        "source <> 'generated' OR (delta IS NOT NULL AND initial_rate IS NOT NULL "
        "AND name IS NULL AND digest IS NULL)",
    ),
    Check(
        "profile_described",
        "A profile has a name, but no delta, initial rate or digest.",
        "source <> 'profile' OR (delta IS NULL AND initial_rate IS NULL "
        "AND name IS NOT NULL AND digest IS NULL)",
    ),
    Check(
        "trace_described",
        "A trace has name and digest, but no delta or initial rate.",
        "source <> 'trace' OR (delta IS NULL AND initial_rate IS NULL "
        "AND name IS NOT NULL AND digest IS NOT NULL AND length(digest) = 64)",
    ),
)

TABLE = Table(
    name="streams",
    meaning="Workloads of a run: random walks of partition write speeds, load profiles, or "
    "recorded traces.",
    grain="stream",
    columns=_COLUMNS,
    key=("run_id", "stream_id"),
    partition_by=("run_id",),
    checks=_CHECKS,
    rules=(assignment_rules.every_stream(),),
)
