"""Contract of `live_lag`: lag, owner and speed of each partition over time."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules

_GROUP = ", ".join(live_rules.GROUP)


def _count(name: str, meaning: str, unit: str) -> Column:
    return long(name, unit, meaning, measured=True)


TABLE = Table(
    name="live_lag",
    meaning="Records of each partition that are due and not processed yet, second by second, with "
    "owner and speed.",
    grain="stream, strategy, second and partition",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        integer("second", "s", "Time since the first iteration, from 1.", 1),
        integer("partition", "index", "Place of the partition in streams.partitions, from 0."),
        _count("end_offset", "Records that are due by then.", "records"),
        _count("processed", "Different records that consumers have processed by then.", "records"),
        _count("lag", "Records that are due and not processed.", "records"),
        _count("lag_bytes", "Size of these records.", "bytes"),
        integer("owner", "index", "Its consumer.", null="It moves, or has none.", measured=True),
        double("speed", "bytes/s", "Write speed in the stream."),
        double(
            "measured_speed",
            "bytes/s",
            "Write speed by the monitor's last measurement.",
            null="Speeds were given, or not measured yet.",
            measured=True,
        ),
        double(
            "longest_s",
            "s",
            "Longest time from due to processed, of the records due in the second that ends then.",
            null="None is due, or none of them was processed.",
            measured=True,
        ),
    ),
    key=("run_id", *live_rules.GROUP, "second", "partition"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "lag_is_the_rest",
            "The lag is what is due and not processed.",
            "lag = CASE WHEN end_offset > processed THEN end_offset - processed ELSE 0 END",
        ),
    ),
    rules=(
        Rule(
            "every_second_and_partition",
            "Each stream and strategy has all partitions at every full second of its iterations.",
            f"SELECT {_GROUP} FROM ("
            f"SELECT {_GROUP}, 1 AS n, 0 AS wanted, `partition` AS place, 0 AS width, "
            "`second` AS at_s, 0 AS length FROM {batch} UNION ALL "
            f"SELECT {_GROUP}, 0, n_partitions * int(floor(n_iterations * iteration_seconds)), "
            "0, n_partitions, 0, int(floor(n_iterations * iteration_seconds)) "
            "FROM {live_runs}) "
            f"GROUP BY {_GROUP} "
            "HAVING sum(n) <> sum(wanted) OR max(place) >= max(width) OR max(at_s) > max(length)",
        ),
    ),
)
