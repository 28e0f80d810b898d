"""Contract of `broker_pauses`: how long producers wait while partitions move, and otherwise."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.brokers import broker_columns
from schemas.tables.brokers.broker_columns import counted

STILL, MOVING, WHOLE = "still", "moving", "whole"

_NOTHING = "No record was due in it."


def _time(name: str, meaning: str) -> Column:
    return double(name, "s", meaning, null=_NOTHING, measured=True)


TABLE = Table(
    name="broker_pauses",
    meaning="Pauses of producers while partitions move, in the whole scaling, and in a window "
    "before it without a change, at most as long as the move.",
    grain="experiment, scaling, window and kind of producers",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        broker_columns.SCALING,
        text(
            "period",
            "The window: without a change, while partitions move, or all phases.",
            (STILL, MOVING, WHOLE),
        ),
        broker_columns.PRODUCERS,
        double("begins_s", "s", "When it begins, after the first record.", measured=True),
        double("seconds", "s", "Its length.", measured=True),
        counted("records", "Records due in it that were acknowledged.", "records"),
        _time("wait_p50_s", "Time from due until acknowledged: median."),
        _time("wait_p99_s", "Its 99th percentile."),
        _time("wait_max_s", "The longest."),
        _time("gap_p50_s", "Time between acknowledgements of a partition: median."),
        _time("gap_p99_s", "Its 99th percentile."),
        _time("gap_max_s", "The longest, with those that reach the ends of the window."),
    ),
    key=("run_id", "experiment", "scaling", "period", "producers"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "pauses_ordered",
            "Percentiles ascend, and windows with records have all of them.",
            "CASE WHEN records = 0 THEN wait_max_s IS NULL ELSE wait_p50_s <= wait_p99_s "
            "AND wait_p99_s <= wait_max_s AND gap_p50_s <= gap_p99_s AND gap_p99_s <= gap_max_s "
            "END",
        ),
    ),
    rules=(
        Rule(
            "pauses_of_scalings",
            "A scaling has three windows of both kinds of producers.",
            "SELECT experiment, scaling FROM (SELECT experiment, scaling, 1 AS n FROM {batch} "
            "UNION ALL SELECT experiment, scaling, -6 FROM {broker_scalings}) "
            "GROUP BY experiment, scaling HAVING sum(n) <> 0",
        ),
    ),
)
