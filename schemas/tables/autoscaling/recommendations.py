"""Contract of `recommendations`: what to deploy for each recorded workload."""

from schemas import shared_columns
from schemas.column_kinds import double, flag, text
from schemas.rule import Check
from schemas.table import Table

_NONE = "Nothing can be deployed."

TABLE = Table(
    name="recommendations",
    meaning="What to deploy for each recorded workload, as `groupscale recommend` says it for 99 % "
    "of the events within wsla_s.",
    grain="experiment over a recorded workload",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        text("decision", "What to deploy, in a sentence, or why there is no recommendation."),
        flag("is_kept", "Whether it keeps the objective, in the next week where that is known."),
        text("answer", "Strategy with its parameters.", null=_NONE),
        text("assignor", "Assignor of the consumers.", null=_NONE),
        double("on_time_percent", "%", "Events within wsla_s.", 0, 100, null=_NONE),
        double(
            "chance",
            "ratio",
            "Chance that the next week keeps the objective.",
            0,
            1,
            null=f"The recording is shorter than 7 days. Or: {_NONE}",
        ),
        double("replicas", "replicas", "Mean of the paid replicas.", null=_NONE),
        double("most_replicas", "replicas", "Most replicas at once.", null=_NONE),
        text("page", "File next to the report.", null="The settings allow no recommendation."),
    ),
    key=("run_id", "experiment"),
    partition_by=("run_id",),
    checks=(
        Check(
            "figures_of_a_group",
            "There are figures if and only if a group can be deployed; only such a group keeps the "
            "objective.",
            "CASE WHEN answer IS NULL THEN assignor IS NULL AND on_time_percent IS NULL "
            "AND chance IS NULL AND replicas IS NULL "
            "AND most_replicas IS NULL AND NOT is_kept "
            "ELSE assignor IS NOT NULL AND on_time_percent IS NOT NULL "
            "AND replicas IS NOT NULL AND most_replicas >= replicas * (1 - 1e-9) END",
        ),
    ),
)
