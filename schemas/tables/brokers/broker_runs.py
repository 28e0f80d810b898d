"""Contract of `broker_runs`: records while brokers join and leave, lost, repeated, out of order."""

from schemas import shared_columns
from schemas.column_kinds import double, flag, integer, long, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.brokers import broker_columns
from schemas.tables.brokers.broker_columns import counted

PLANNERS = ("least", "turns", "generated")

TABLE = Table(
    name="broker_runs",
    meaning="Records that were written and read while brokers joined a Kafka cluster and left it: "
    "how many of those that were acknowledged got lost, came again, or changed their order.",
    grain="experiment and kind of producers",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        broker_columns.PRODUCERS,
        text("planner", "Kind of the plans of moves.", PLANNERS),
        integer("replication", "replicas", "Replicas of each partition.", 1),
        integer("partitions", "partitions", "Partitions of the topic.", 1),
        double("records_per_s", "records/s", "Records that all producers write.", above=0),
        integer("scalings", "scalings", "Brokers that were added or removed.", 1),
        text("kafka_version", "Version of Kafka."),
        integer("cores", "cores", "Processor cores of the machine.", 1, measured=True),
        double("load", "processes", "Load of the machine in the last minute.", measured=True),
        flag("drained", "Whether readers came to the last acknowledged records in time."),
        counted("late_sends", "Records of all producers sent more than 100 ms late.", "records"),
        counted("refused", "Records of all producers that were not acknowledged.", "records"),
        long("acknowledged", "records", "Records that Kafka acknowledged.", measured=True),
        long("lost", "records", "Of these, records that were never read.", measured=True),
        double(
            "lost_high",
            "ratio",
            "Upper end of the 95 % interval of the share lost: exact, and 3/N if none of N was.",
            maximum=1.0,
            measured=True,
        ),
        long("repeated", "records", "Times that a record was read again.", measured=True),
        long(
            "disordered",
            "records",
            "Records first read after a later one of their partition.",
            measured=True,
        ),
    ),
    key=("run_id", "experiment", "producers"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "lost_within_acknowledged", "Only acknowledged records count.", "lost <= acknowledged"
        ),
        Check(
            "share_within_bound",
            "The interval covers the share that was lost.",
            "lost <= lost_high * acknowledged + 0.5",
        ),
    ),
    rules=(
        Rule(
            "both_producers",
            "An experiment has both kinds of producers.",
            "SELECT experiment FROM {batch} GROUP BY experiment HAVING count(*) <> 2",
        ),
    ),
)
