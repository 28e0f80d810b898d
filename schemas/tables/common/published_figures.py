"""Contract of `published_figures`: what papers print on assignment and autoscaling, and ours."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.verdicts import ALL, EXACT

_UNIT = "as column unit says"


def _end(name: str, which: str) -> Column:
    """One end of an interval."""
    return Column(
        name,
        "double",
        f"{which} end of the 95 % prediction interval for one more stream.",
        _UNIT,
        nullable=True,
        null_means="The figure is not compared with an interval.",
    )


TABLE = Table(
    name="published_figures",
    meaning="Figures that papers publish on assignment and autoscaling, with ours and a verdict. "
    "Runs on recorded traces have rows only if the traces are published ones.",
    grain="published figure",
    columns=(
        shared_columns.RUN_ID,
        Column("figure_key", "string", "Name of the figure, the same in every run."),
        Column("source", "string", "Paper or proposal."),
        Column("location", "string", "Table or section."),
        Column("its_workload", "string", "Workload in the words of the source."),
        Column("its_strategy", "string", "Algorithm or strategy in the words of the source."),
        Column(
            "candidate", "string", "What was run: an algorithm, or a strategy with its parameters."
        ),
        Column("figure", "string", "What is measured."),
        Column("unit", "string", "Unit of the values; empty for counts and statements."),
        Column("published", "string", "The figure as printed, with or without its unit."),
        Column(
            "published_value",
            "double",
            "First number of the figure as printed, or the middle of a range.",
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
            null_means="A statement without a number, or nothing that can be compared.",
        ),
        _end("low", "Lower"),
        _end("high", "Upper"),
        Column(
            "interval_text",
            "string",
            "The interval in words, with its unit.",
            nullable=True,
            null_means="There is no interval.",
        ),
        Column(
            "difference",
            "string",
            "Sign of our value less the printed digits; = if it is printed like them.",
            nullable=True,
            null_means="A statement without a number, or one not compared by its digits.",
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
        Check(
            "interval_has_both_ends",
            "An interval has two ends, the lower one first.",
            "(low IS NULL) = (high IS NULL) AND coalesce(low <= high, true)",
        ),
    ),
)
