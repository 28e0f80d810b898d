"""View `stage_times`: how long each stage of a run took, all its units together."""

from schemas import shared_columns
from schemas.column_kinds import double, long, text
from schemas.tables import TABLES
from schemas.view import View, select

_RUNS = TABLES["runs"].column

_COLUMNS = (
    (shared_columns.RUN_ID, "run_id"),
    (_RUNS("preset"), "preset"),
    (_RUNS("created_at"), "created_at"),
    (text("stage", "Name of the stage."), "entry.stage"),
    (long("times", "runs", "How often it ran: once for each unit of its work.", 1), "count(*)"),
    (double("seconds", "s", "Wall time, added up.", measured=True), "sum(entry.seconds)"),
    (
        double("longest_s", "s", "Wall time of its longest unit.", measured=True),
        "max(entry.seconds)",
    ),
)

VIEW = View(
    name="stage_times",
    meaning="Time that each stage of a run took.",
    grain="run and stage",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "stage"),
    reads=("runs",),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM (
  SELECT run_id, preset, created_at, explode(entries) AS entry
  FROM (SELECT *, timing_entries(stage_timings) AS entries FROM runs))
GROUP BY run_id, preset, created_at, entry.stage""",
)
