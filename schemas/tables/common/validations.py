"""Contract of `validations`: results of the data quality checks."""

from schemas.column_kinds import flag, long, text, timestamp
from schemas.rule import Check
from schemas.shared_columns import RUN_ID
from schemas.table import Table

_COLUMNS = (
    RUN_ID,
    text("table_name", "Checked table."),
    text("rule", "Name of the rule in its table, as in the data dictionary."),
    text("expectation", "Great Expectations type of the check."),
    text("meaning", "Description of the rule."),
    text("expected", "Arguments of the expectation: bounds, values, or SQL."),
    text("observed", "Observed value, shortened if long."),
    long(
        "unexpected_count",
        "rows",
        "Rows (or groups of rows) that violate the rule.",
        null="The rule applies to the table as a whole, or could not be evaluated.",
    ),
    flag("success", "Whether the rule holds."),
    timestamp("checked_at", "Time of the check, UTC."),
)


TABLE = Table(
    name="validations",
    meaning="Result of every expectation checked on the rows of a run. A run with a failed "
    "expectation is not published.",
    grain="run, table and rule",
    columns=_COLUMNS,
    key=("run_id", "table_name", "rule"),
    partition_by=("run_id",),
    checks=(
        Check(
            "success_without_unexpected",
            "A rule that holds has no rows that violate it.",
            "NOT success OR unexpected_count IS NULL OR unexpected_count = 0",
        ),
    ),
)
