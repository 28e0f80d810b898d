"""Contract of `validations`: results of the data quality checks."""

from schemas.column import Column
from schemas.rule import Check
from schemas.shared_columns import RUN_ID
from schemas.table import Table

_COLUMNS = (
    RUN_ID,
    Column("table_name", "string", "Checked table."),
    Column(
        "rule",
        "string",
        "Name of the rule in its table, as in the data dictionary.",
    ),
    Column(
        "expectation",
        "string",
        "Great Expectations type of the check.",
    ),
    Column("meaning", "string", "Description of the rule."),
    Column("expected", "string", "Arguments of the expectation: bounds, values, or SQL."),
    Column("observed", "string", "Observed value, shortened if long."),
    Column(
        "unexpected_count",
        "long",
        "Rows (or groups of rows) that violate the rule.",
        "rows",
        nullable=True,
        null_means="The rule applies to the table as a whole, or could not be evaluated.",
        minimum=0,
    ),
    Column("success", "boolean", "Whether the rule holds."),
    Column("checked_at", "timestamp", "Time of the check, UTC."),
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
