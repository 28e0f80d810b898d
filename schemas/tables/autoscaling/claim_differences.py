"""Contract of `claim_differences`: claims under settings that their paper leaves open."""

from schemas import shared_columns
from schemas.column_kinds import double, ends, integer, text
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.autoscaling import open_columns

_ALL = "The mean over all settings whose bursts drift."
_UNKNOWN = "A seed has no value."

TABLE = Table(
    name="claim_differences",
    meaning="Claims of Ezzeddine et al. 2024, and what their differences consist of: paired "
    "differences of candidates over the seeds of claim_runs, under each setting that the paper "
    "leaves open and over all whose bursts drift. Verdicts on those that it prints are in "
    "published_figures.",
    grain="experiment, claim, quantity and open setting",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        text("claim", "The two that differ, in the words of the paper."),
        text(
            "quantity",
            "Column of claim_runs that differs; late_after is late_after_down less late_after_up "
            "of one candidate.",
            ("sla_percent", "replica_minutes", "max", "late_after"),
        ),
        open_columns.SWEPT,
        open_columns.arrivals(_ALL),
        open_columns.shift(_ALL),
        open_columns.keys(_ALL),
        open_columns.cooldown(_ALL),
        integer("seeds", "seeds", "Paired seeds.", 1),
        double("difference", "as the quantity", "Mean difference.", None, null=_UNKNOWN),
        *ends(
            "",
            "as the quantity",
            "the bootstrap interval of the difference over seeds: 95 % over all drifts, and for "
            "single settings 95 % for all of a claim together",
            null=f"Fewer than 2 seeds. Or: {_UNKNOWN}",
        ),
    ),
    key=("run_id", "experiment", "claim", "quantity", "swept"),
    partition_by=("run_id",),
    checks=(
        open_columns.SHIFTED,
        Check(
            "interval_of_difference",
            "An interval exists if and only if there are a difference and at least 2 seeds, and "
            "it contains the difference.",
            "CASE WHEN seeds < 2 OR difference IS NULL THEN low IS NULL AND high IS NULL "
            "ELSE low <= difference AND difference <= high END",
        ),
        Check(
            "whole_setting",
            "A row has a whole open setting, or none.",
            "(arrivals IS NULL) = (shift_s IS NULL) AND (arrivals IS NULL) = (`keys` IS NULL) "
            "AND (arrivals IS NULL) = (cooldown_s IS NULL)",
        ),
    ),
)
