"""Contract of `published_figures`: what papers print on autoscaling, and ours."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.verdicts import ALL, EXACT

_UNIT = "as column unit says"

TABLE = Table(
    name="published_figures",
    meaning="Figures that papers publish on autoscaling, with ours and a verdict. Only runs on the "
    "published workloads have rows.",
    grain="published figure",
    columns=(
        shared_columns.RUN_ID,
        Column("figure_key", "string", "Name of the figure, the same in every run."),
        Column("source", "string", "Paper or proposal."),
        Column("location", "string", "Table or section."),
        Column("its_workload", "string", "Workload in the words of the source."),
        Column("its_strategy", "string", "Strategy in the words of the source."),
        Column("candidate", "string", "What was simulated: a strategy with its parameters."),
        Column("figure", "string", "What is measured."),
        Column("unit", "string", "Unit of the values; empty for counts and statements."),
        Column("published", "string", "The figure as printed."),
        Column(
            "published_value",
            "double",
            "First number of the figure as printed.",
            _UNIT,
            nullable=True,
            null_means="A statement without a number.",
            minimum=0,
        ),
        Column("ours", "string", "Our value in words."),
        Column(
            "our_value",
            "double",
            "Our value.",
            _UNIT,
            nullable=True,
            null_means="A statement without a number.",
            minimum=0,
        ),
        Column(
            "difference",
            "string",
            "Sign of our value less the printed digits; = if it is printed like them.",
            nullable=True,
            null_means="A statement without a number.",
            allowed=("+", "-", "="),
        ),
        Column("verdict", "string", "Verdict on the figure.", allowed=ALL),
        Column("note", "string", "What a reader should know; may be empty."),
    ),
    key=("run_id", "figure_key"),
    partition_by=("run_id",),
    checks=(
        Check(
            "exact_is_equal",
            "A number is exact only if ours is printed like it.",
            f"verdict <> '{EXACT}' OR coalesce(difference, '=') = '='",
        ),
    ),
    written_by=("compare_figures",),
    reads=("streams", "simulations"),
)
