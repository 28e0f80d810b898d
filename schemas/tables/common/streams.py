"""Contract of `streams`: the workloads of a run."""

from schemas import shared
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import rules

_COLUMNS = (
    shared.RUN_ID,
    shared.STREAM_ID,
    shared.EXPERIMENT,
    Column(
        "source",
        "string",
        "Where the write speeds come from: generated (a random walk) or trace (a recorded file).",
        allowed=("generated", "trace"),
    ),
    shared.DELTA,
    shared.REPLICATE,
    Column(
        "seed",
        "long",
        "Seed of the stream's random numbers: of its walk, if generated, and of the order in "
        "which the online algorithms take the partitions.",
        "identifier",
        minimum=0,
    ),
    shared.INITIAL_RATE,
    Column(
        "partitions",
        "array<string>",
        "Names of the partitions. Arrays of rates and consumers have this order.",
    ),
    shared.N_ITERATIONS,
    Column(
        "capacity",
        "double",
        "Packing capacity C: the load that an assignment may give to one consumer.",
        "bytes/s",
        exclusive_minimum=0,
    ),
    Column(
        "consumer_capacity",
        "double",
        "Consumption capacity: the speed at which a consumer really reads, at least capacity. "
        "The latency model uses it.",
        "bytes/s",
        exclusive_minimum=0,
    ),
    Column(
        "name",
        "string",
        "Name of the trace's file, without its folder.",
        nullable=True,
        null_means="Generated stream.",
    ),
    Column(
        "digest",
        "string",
        "SHA-256 of the trace's rates, in hexadecimal: equal for equal contents.",
        nullable=True,
        null_means="Generated stream.",
    ),
)

_CHECKS = (
    Check(
        "partitions_given",
        "A stream has at least one partition.",
        "size(partitions) >= 1",
    ),
    Check(
        "partitions_distinct",
        "No two partitions of a stream have the same name.",
        "size(array_distinct(partitions)) = size(partitions)",
    ),
    Check(
        "capacity_within_consumption",
        "The packing capacity is at most the consumption capacity.",
        "capacity <= consumer_capacity",
    ),
    Check(
        "generated_described",
        "A generated stream has a delta and an initial rate, but neither name nor digest.",
        "source <> 'generated' OR (delta IS NOT NULL AND initial_rate IS NOT NULL "
        "AND name IS NULL AND digest IS NULL)",
    ),
    Check(
        "trace_described",
        "A trace has a name and a digest, but neither delta nor initial rate.",
        "source <> 'trace' OR (delta IS NULL AND initial_rate IS NULL "
        "AND name IS NOT NULL AND digest IS NOT NULL AND length(digest) = 64)",
    ),
)

TABLE = Table(
    name="streams",
    meaning="The workloads that the algorithms were tried on: a generated random walk of "
    "partition write speeds, or a recorded trace.",
    grain="stream",
    columns=_COLUMNS,
    key=("run_id", "stream_id"),
    partition_by=("run_id",),
    checks=_CHECKS,
    rules=(rules.every_stream(),),
    written_by=("generate_streams", "import_traces"),
    reads=("runs",),
)
