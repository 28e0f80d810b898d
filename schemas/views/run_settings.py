"""View `run_settings`: the configuration of each experiment of a run, a row per setting."""

from schemas import shared_columns
from schemas.column_kinds import double, text
from schemas.tables import TABLES
from schemas.view import View, select

_RUNS = TABLES["runs"].column

_COLUMNS = (
    (shared_columns.RUN_ID, "run_id"),
    (_RUNS("preset"), "preset"),
    (_RUNS("created_at"), "created_at"),
    (text("experiment", "Experiment of the run."), "entry.experiment"),
    (text("setting", "Name of the setting."), "entry.setting"),
    # Spark and DuckDB write numbers differently, so that they are no texts.
    (
        text("value", "Its value as text; lists are JSON.", null="A number, or not set."),
        "CASE WHEN try_cast(entry.value AS DOUBLE) IS NULL THEN entry.value END",
    ),
    (
        double("number", "as the setting", "Its value.", None, null="No number, or not set."),
        "try_cast(entry.value AS DOUBLE)",
    ),
)

VIEW = View(
    name="run_settings",
    meaning="Settings of the experiments of a run.",
    grain="run, experiment and setting",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "setting"),
    reads=("runs",),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM (
  SELECT run_id, preset, created_at, explode(entries) AS entry
  FROM (SELECT *, setting_entries(config) AS entries FROM runs))""",
)
