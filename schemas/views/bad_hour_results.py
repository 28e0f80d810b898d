"""View `bad_hour_results`: what an event at the busiest hour costs a strategy, in one row."""

from schemas.tables import TABLES
from schemas.view import View, select

_RUNS, _EFFECTS = (TABLES[name].column for name in ("runs", "bad_hour_effects"))

_COLUMNS = (
    (_RUNS("run_id"), "e.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    *(
        (column, f"e.{column.name}")
        for column in TABLES["bad_hour_effects"].columns
        if column.name != "run_id"
    ),
)

VIEW = View(
    name="bad_hour_results",
    meaning="What an event at the busiest hour costs a strategy with its parameters: late events, "
    "greatest age, time until the lag is gone and paid replicas, with intervals over seeds.",
    grain="run, experiment, strategy with its parameters and event",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "strategy", "setting", "event"),
    reads=("bad_hour_effects", "runs"),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM bad_hour_effects e
JOIN runs r ON r.run_id = e.run_id""",
)
