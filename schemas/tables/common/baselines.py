"""Contract of `baselines`: which runs were accepted, by whom and why."""

from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table

MAX_TEXT = 500
"""Characters of a name or a reason."""


def _given(column: str) -> Check:
    # Nothing but functions that every engine has: rows are also written without Spark.
    return Check(
        f"{column}_given",
        f"The column {column} is not blank, and at most {MAX_TEXT} characters long.",
        f"length(trim({column})) > 0 AND length({column}) <= {MAX_TEXT}",
    )


TABLE = Table(
    name="baselines",
    meaning="Runs that somebody promoted to baseline: what differs in them was meant, and later "
    "runs of the same configuration are compared with them. A row is never replaced; of several "
    "for a run, the last one counts, and only if the run began before it.",
    grain="promotion of a run",
    columns=(
        Column("run_id", "string", "Identifier of the run that was promoted; joins to runs."),
        Column("promoted_at", "timestamp", "When the run was promoted, UTC."),
        Column("promoted_by", "string", "Who promoted it."),
        Column("reason", "string", "Why its results are the expected ones from then on."),
    ),
    key=("run_id", "promoted_at"),
    partition_by=("run_id",),
    checks=(_given("promoted_by"), _given("reason")),
    written_by=("groupscale promote",),
    reads=("runs",),
    lasting=True,
)
