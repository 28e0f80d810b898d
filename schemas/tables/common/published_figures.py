"""Contract of `published_figures`: what papers publish, and ours, in all families."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, text
from schemas.rule import Check
from schemas.table import Table
from schemas.verdicts import ALL, EXACT

_UNIT = "as column unit says"


def _end(name: str, which: str) -> Column:
    """One end of an interval."""
    return double(
        name,
        _UNIT,
        f"{which} end of the 95 % interval: for one more stream, or of our value over seeds.",
        None,
        null="The figure is not compared with an interval.",
    )


TABLE = Table(
    name="published_figures",
    meaning="Figures and claims that papers publish, with ours and a verdict. Runs of assignment "
    "and autoscaling on recorded traces have rows only if the traces are published ones.",
    grain="published figure",
    columns=(
        shared_columns.RUN_ID,
        text("figure_key", "Name of the figure, the same in every run."),
        text("source", "Paper or proposal."),
        text("location", "Table or section."),
        text("its_workload", "Workload in the words of the source; may be empty."),
        text(
            "its_strategy",
            "Algorithm, strategy, or agent and reward in the words of the source; may be empty.",
        ),
        text(
            "candidate",
            "What was run: an algorithm, a strategy with its parameters, or an experiment.",
        ),
        text("figure", "What is measured."),
        text("unit", "Unit of the values; empty for counts and statements."),
        text("published", "The figure as printed, with or without its unit."),
        double(
            "published_value",
            _UNIT,
            "First number of the figure as printed, or the middle of a range; differences may be "
            "below 0.",
            None,
            null="A statement without a number.",
        ),
        text("ours", "Our value in words."),
        double("our_value", _UNIT, "Our value.", None, null="No number to compare."),
        _end("low", "Lower"),
        _end("high", "Upper"),
        text(
            "interval_text", "The interval in words, with its unit.", null="There is no interval."
        ),
        text(
            "difference",
            "Sign of our value less the printed digits; = if it is printed like them.",
            ("+", "-", "="),
            null="A statement without a number, or one not compared by its digits.",
        ),
        text("verdict", "Verdict on the figure.", ALL),
        text("note", "What a reader should know; may be empty."),
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
