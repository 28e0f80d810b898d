"""Contract of `learning_verdicts`: the claims of a paper on learning, and what was found."""

from schemas import shared_columns
from schemas.column_kinds import double, integer, text
from schemas.rule import Check
from schemas.table import Table
from schemas.verdicts import BY_CONSTRUCTION, NOT_REPRODUCED, OPEN, REPRODUCED

VERDICTS = (BY_CONSTRUCTION, REPRODUCED, NOT_REPRODUCED, OPEN)

LEAST_SEEDS = 30
"""Seeds below which a claim stays open."""

VARIANTS = 34
"""Variants of the sensitivity table, without which a claim stays open."""

_UNDECIDED = f"verdict IN ('{OPEN}', '{BY_CONSTRUCTION}')"

SUBJECT_OF_A_VARIANT = "R9"
"""The claim about raw metrics, of which they are no variant."""

TABLE = Table(
    name="learning_verdicts",
    meaning="Claims of Giannakopoulos and Kalogeraki (2022) on agents that scale brokers, with "
    "what was found and a verdict.",
    grain="claim and subject",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        text("claim", "Number of the claim, R1 to R11."),
        text("location", "Figures or page of the paper."),
        text("subject", "Agent and reward that it is about, such as dqn, count, or empty."),
        text("statement", "The claim in short."),
        text("measure", "What value is."),
        integer("seeds", "seeds", "Seeds that it is judged from."),
        double(
            "value",
            "as column measure says",
            "Our value.",
            None,
            null="The run has no such trainings, or the claim is not judged by a number.",
        ),
        double(
            "low",
            "as column measure says",
            "Lower end of the 95 % interval of value.",
            None,
            null="There is no value, or none with an interval.",
        ),
        double(
            "high",
            "as column measure says",
            "Upper end of the 95 % interval of value.",
            None,
            null="There is no value, or none with an interval.",
        ),
        text("verdict", "Verdict on the claim.", VERDICTS),
        integer(
            "variants_agreeing",
            "variants",
            "Variants of the sensitivity table with at least 10 seeds whose interval says the "
            "same as that of the claim, however many seeds it has. The note names the others.",
        ),
        integer("variants", "variants", "Variants in the sensitivity table with 10 seeds or more."),
        text("note", "What a reader should know; may be empty."),
    ),
    key=("run_id", "experiment", "claim", "subject"),
    partition_by=("run_id",),
    checks=(
        Check(
            "enough_seeds",
            f"A claim with fewer than {LEAST_SEEDS} seeds is open.",
            f"{_UNDECIDED} OR seeds >= {LEAST_SEEDS}",
        ),
        Check(
            "whole_sensitivity_table",
            f"A claim with fewer than {VARIANTS} variants is open, {SUBJECT_OF_A_VARIANT} with "
            "one less.",
            f"{_UNDECIDED} OR variants >= {VARIANTS} "
            f"OR (claim = '{SUBJECT_OF_A_VARIANT}' AND variants >= {VARIANTS - 1})",
        ),
        Check(
            "interval_around_value",
            "The value lies within its interval.",
            "(low IS NULL) = (high IS NULL) AND (low IS NULL OR "
            "(value IS NOT NULL AND low <= value + 1e-9 AND value <= high + 1e-9))",
        ),
        Check(
            "variants_counted",
            "Not more variants agree than there are.",
            "variants_agreeing <= variants",
        ),
    ),
)
