"""Contract of `live_events`: what controller and consumers told each other, and faults."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules

COMMANDS = ("stop", "start", "end")
ANSWERS = ("hello", "stopped", "started", "bye")

_GROUP = ", ".join(live_rules.GROUP)
_EXCUSES = live_rules.excuses("{batch}", live_rules.EXCUSES_MOVES)


def _number(name: str, meaning: str, unit: str, missing: str, kind: str = "int") -> Column:
    return Column(
        name, kind, meaning, unit, nullable=True, null_means=missing, minimum=0, measured=True
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


TABLE = Table(
    name="live_events",
    meaning="Commands of the controller, answers of consumers, and faults, with a row per "
    "partition of a message. Kafka's own groups have faults only.",
    grain="stream, strategy and event",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        integer("event", "index", "Number of the event, from 1, by time.", 1),
        double("time_s", "s", "Since the first iteration; negative before.", None, measured=True),
        text(
            "component",
            "What it is of: a command of the controller, an answer of a consumer, or a fault.",
            ("controller", "consumer", "fault"),
        ),
        text(
            "kind",
            "Kind of message: stop, start or end; hello, stopped, started or bye. Of a fault, "
            "what happened, such as exited, lost or fenced.",
        ),
        _number("consumer", "The consumer's number.", "index", "A fault of no consumer."),
        _number(
            "incarnation",
            "Number of the process in the consumer's slot, from 1.",
            "index",
            "A fault of no consumer.",
        ),
        _number("plan", "The plan that it belongs to.", "index", "It belongs to no plan."),
        _number(
            "partition",
            "Place of the partition in streams.partitions, from 0.",
            "index",
            "It is about no partition.",
        ),
        _number("epoch", "Epoch of the partition.", "index", "It is about no partition."),
        _number(
            "next_offset", "Next record to process.", "records", "The message has none.", "long"
        ),
    ),
    key=("run_id", *live_rules.GROUP, "event"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "kind_of_component",
            "Commands and answers have their kinds, and a consumer.",
            f"CASE component WHEN 'controller' THEN kind IN ({_listed(COMMANDS)}) "
            "AND consumer IS NOT NULL "
            f"WHEN 'consumer' THEN kind IN ({_listed(ANSWERS)}) AND consumer IS NOT NULL "
            "ELSE true END",
        ),
        Check(
            "partition_with_epoch",
            "A partition has an epoch, and the other way round.",
            "(`partition` IS NULL) = (epoch IS NULL)",
        ),
    ),
    rules=(
        Rule(
            "moves_of_plans",
            "Partitions start at another consumer than before as often as plans move them, unless "
            "a consumer was lost or the controller recovered.",
            f"SELECT {_GROUP} FROM ("
            f"SELECT {_GROUP}, if(consumer <> before, 1, 0) AS n, 0 AS moves, 0 AS excuses FROM ("
            f"SELECT {_GROUP}, consumer, lag(consumer) OVER ("
            f"PARTITION BY {_GROUP}, `partition` ORDER BY epoch) AS before FROM ("
            f"SELECT DISTINCT {_GROUP}, consumer, `partition`, epoch FROM {{batch}} "
            "WHERE kind = 'started')) UNION ALL "
            f"SELECT {_GROUP}, 0, {live_rules.PLANNED_MOVES}, 0 FROM {{live_runs}} UNION ALL "
            f"SELECT {_GROUP}, 0, 0, 1 FROM ({_EXCUSES})) "
            f"GROUP BY {_GROUP} HAVING sum(excuses) = 0 AND sum(n) <> sum(moves)",
        ),
        Rule(
            "faults_of_runs",
            "Each stream and strategy has as many faults as live_runs counts.",
            f"SELECT {_GROUP} FROM ("
            f"SELECT {_GROUP}, 1 AS n FROM {{batch}} WHERE component = 'fault' UNION ALL "
            f"SELECT {_GROUP}, -faults FROM {{live_runs}}) "
            f"GROUP BY {_GROUP} HAVING sum(n) <> 0",
        ),
    ),
)
