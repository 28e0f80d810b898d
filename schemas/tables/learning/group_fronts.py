"""Contract of `group_fronts`: what agents and rules dominate over weights of late events."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.learning import group_columns


def _area(name: str, meaning: str) -> Column:
    return Column(name, "double", meaning, "ratio", minimum=0, maximum=1)


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
        Column("variant", "string", "Variant of an agent without its weight; empty for others."),
        Column("points", "int", "Points of the front, one per weight.", "points", minimum=1),
        group_columns.SEEDS,
        group_columns.TRACES,
        _area(
            "hypervolume",
            "Mean over seeds of the dominated area: replicas as a share of the partitions, and "
            "late events as a share of 20 % of all, both up to 1 and means over traces. More is "
            "better.",
        ),
        _area("hypervolume_low", "Lower end of the 95 % interval of hypervolume."),
        _area("hypervolume_high", "Upper end of the 95 % interval of hypervolume."),
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
