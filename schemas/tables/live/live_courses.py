"""Contract of `live_courses`: simulated groups whose assignor asks, second by second."""

from schemas import shared_columns
from schemas.column_kinds import double, integer
from schemas.rule import Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules

_GROUP = ", ".join(live_rules.GROUP)

TABLE = Table(
    name="live_courses",
    meaning="Prediction A of groups whose assignor asks, second by second: what live_lag has of "
    "them on the broker.",
    grain="stream, strategy and second",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        integer("second", "s", "Time since the first iteration, from 1.", 1),
        integer("consumers", "consumers", "Paid consumers of the simulation as the second ends."),
        double(
            "longest_s",
            "s",
            "Greatest latency of the records that are processed in the second; 0 without any.",
        ),
    ),
    key=("run_id", *live_rules.GROUP, "second"),
    partition_by=("run_id", "experiment"),
    rules=(
        Rule(
            "seconds_of_simulated_runs",
            "Strategies and streams are those of live_runs, and their seconds have no gap.",
            f"SELECT {_GROUP} FROM (SELECT {_GROUP}, 1 AS n, `second` AS at_s, 0 AS runs "
            f"FROM {{batch}} UNION ALL SELECT {_GROUP}, 0, 0, 1 FROM {{live_runs}}) "
            f"GROUP BY {_GROUP} HAVING sum(n) <> max(at_s) OR sum(runs) <> 1",
        ),
    ),
)
