"""Contract of `baselines`: promoted runs, with approver and reason."""

from schemas.column_kinds import text, timestamp
from schemas.rule import Check
from schemas.table import Table

MAX_TEXT = 500
"""Characters of a name or a reason."""


def _given(column: str) -> Check:
    # Nothing but functions that every engine has: rows are also written without Spark.
    return Check(
        f"{column}_given",
        f"{column} is not blank and has at most {MAX_TEXT} characters.",
        f"length(trim({column})) > 0 AND length({column}) <= {MAX_TEXT}",
    )


TABLE = Table(
    name="baselines",
    meaning="Runs promoted to baseline: their differences are accepted, and later runs of the same "
    "configuration are compared with them. Rows are never replaced; if a run has several, the "
    "last one counts, and only if the run began before it.",
    grain="promotion of a run",
    columns=(
        text("run_id", "Identifier of the promoted run; joins to runs."),
        timestamp("promoted_at", "When the run was promoted, UTC."),
        text("promoted_by", "Name of the person who promoted it."),
        text("reason", "Reason for accepting the run as the new baseline."),
    ),
    key=("run_id", "promoted_at"),
    partition_by=("run_id",),
    checks=(_given("promoted_by"), _given("reason")),
    lasting=True,
)
