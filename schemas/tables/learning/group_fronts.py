"""Contract of `group_fronts`: what agents and rules dominate over weights of late events."""

from schemas import shared_columns
from schemas.column_kinds import double, ends, integer, text
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.learning import group_columns

TABLE = Table(
    name="group_fronts",
    meaning="Area that an agent or rule dominates with one point per weight of late events: paid "
    "replicas against late events of the test parts. Intervals over seeds and blocks of 120 s, "
    "traces as strata.",
    grain="split and strategy; agents by variant without its weight",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        group_columns.SPLIT,
        group_columns.POLICY,
        text("variant", "Variant of an agent without its weight; empty for others."),
        integer("points", "points", "Points of the front, one per weight.", 1),
        group_columns.SEEDS,
        group_columns.TRACES,
        double(
            "hypervolume",
            "ratio",
            "Mean over seeds of the dominated area: replicas as a share of the partitions, and "
            "late events as a share of 20 % of all, both up to 1 and means over traces. More is "
            "better.",
            0,
            1,
        ),
        *ends("hypervolume", "ratio", "the 95 % interval of hypervolume", 0, 1),
    ),
    key=("run_id", "experiment", "split", "policy", "variant"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "area_within_interval",
            "The hypervolume lies within its interval.",
            "hypervolume_low <= hypervolume AND hypervolume <= hypervolume_high",
        ),
    ),
)
