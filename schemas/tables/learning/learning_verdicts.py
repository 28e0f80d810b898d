"""Contract of `learning_verdicts`: the claims of a paper on learning, and what was found."""

from schemas import shared_columns
from schemas.column import Column
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
        Column("claim", "string", "Number of the claim, R1 to R11."),
        Column("location", "string", "Figures or page of the paper."),
        Column(
            "subject",
            "string",
            "Agent and reward that it is judged for, such as dqn, count; empty where it is about "
            "none.",
        ),
        Column("statement", "string", "The claim in short."),
        Column("measure", "string", "What value is."),
        Column("seeds", "int", "Seeds that it is judged from.", "seeds", minimum=0),
        Column(
            "value",
            "double",
            "Our value.",
            "as column measure says",
            nullable=True,
            null_means="The run has no such trainings, or the claim is not judged by a number.",
        ),
        Column(
            "low",
            "double",
            "Lower end of the 95 % interval of value.",
            "as column measure says",
            nullable=True,
            null_means="There is no value, or none with an interval.",
        ),
        Column(
            "high",
            "double",
            "Upper end of the 95 % interval of value.",
            "as column measure says",
            nullable=True,
            null_means="There is no value, or none with an interval.",
        ),
        Column("verdict", "string", "Verdict on the claim.", allowed=VERDICTS),
        Column(
            "variants_agreeing",
            "int",
            "Variants of the sensitivity table with at least 10 seeds whose interval says the same "
            "as that of the claim, however many seeds it has. The note names the others.",
            "variants",
            minimum=0,
        ),
        Column(
            "variants",
            "int",
            "Variants of the sensitivity table with at least 10 seeds and otherwise the same "
            "settings.",
            "variants",
            minimum=0,
        ),
        Column("note", "string", "What a reader should know; may be empty."),
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
