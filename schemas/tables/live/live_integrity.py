"""Contract of `live_integrity`: whether every record was processed once and in order."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules


def _count(name: str, meaning: str, unit: str = "records") -> Column:
    return long(name, unit, meaning, measured=True)


_GROUP = ", ".join(live_rules.GROUP)
_MOVES = live_rules.excuses("{live_events}", live_rules.EXCUSES_MOVES)
_REPEATS = live_rules.excuses("{live_events}", live_rules.EXCUSES_REPEATS)

TABLE = Table(
    name="live_integrity",
    meaning="Whether every record that was sent to a partition was processed once and in order, "
    "from the evidence that consumers write.",
    grain="stream, strategy and partition",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        integer("partition", "index", "Place of the partition in streams.partitions, from 0."),
        _count("sent", "Records that the producer sent."),
        _count("read", "Different records that consumers processed."),
        _count("lost", "Records up to the last progress that no consumer processed."),
        _count("twice", "Times that a consumer processed a record again."),
        _count(
            "out_of_order",
            "Records that were first processed after one of the partition with a higher number.",
        ),
        _count(
            "overlapping_epochs",
            "Epochs that began before an earlier epoch of the partition had ended.",
            "epochs",
        ),
        _count(
            "epochs",
            "Epochs in which a record was processed: times in which one consumer had the "
            "partition.",
            "epochs",
        ),
        _count(
            "owner_changes",
            "Starts of the partition at another consumer than the one before.",
            "starts",
        ),
        double(
            "longest_gap_s",
            "s",
            "Longest time from the last record at one consumer to the first at the next one.",
            null="Only one consumer processed records of the partition.",
            measured=True,
        ),
    ),
    key=("run_id", *live_rules.GROUP, "partition"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check("nothing_lost", "No record is lost.", "lost = 0"),
        Check("reads_within_sent", "Not more records were processed than sent.", "`read` <= sent"),
    ),
    rules=(
        Rule(
            "every_partition",
            "Each stream and strategy in live_runs has a row for each of its partitions.",
            f"SELECT {_GROUP} FROM ("
            f"SELECT {_GROUP}, 1 AS n, 0 AS wanted, `partition` AS place, 0 AS width "
            "FROM {batch} UNION ALL "
            f"SELECT {_GROUP}, 0, n_partitions, 0, n_partitions FROM {{live_runs}}) "
            f"GROUP BY {_GROUP} HAVING sum(n) <> sum(wanted) OR max(place) >= max(width)",
        ),
        Rule(
            "faultless_exactly_once",
            "No record is processed twice or out of order, and no two epochs of a partition "
            "overlap, unless a consumer was lost or Kafka did not answer its own group.",
            f"SELECT b.* FROM {{batch}} b LEFT JOIN (SELECT DISTINCT * FROM ({_REPEATS})) e "
            "ON e.stream_id = b.stream_id AND e.strategy = b.strategy "
            "WHERE e.strategy IS NULL "
            "AND (b.twice > 0 OR b.out_of_order > 0 OR b.overlapping_epochs > 0)",
        ),
        Rule(
            "moves_add_up",
            "The owners of a run's partitions change as often as its plans move partitions, unless "
            "a consumer was lost or the controller recovered.",
            f"SELECT {_GROUP} FROM ("
            f"SELECT {_GROUP}, owner_changes AS n, 0 AS moves, 0 AS excuses FROM {{batch}} "
            f"UNION ALL SELECT {_GROUP}, 0, moves, 0 FROM {{live_runs}} "
            f"UNION ALL SELECT {_GROUP}, 0, 0, 1 FROM ({_MOVES})) "
            f"GROUP BY {_GROUP} HAVING sum(excuses) = 0 AND sum(n) <> sum(moves)",
        ),
    ),
)
