"""View `latest_strategy_results`: the results of each preset's newest run on autoscaling."""

from schemas.view import View
from schemas.views.strategy_results import VIEW as STRATEGY_RESULTS

VIEW = View(
    name="latest_strategy_results",
    meaning="Rows of strategy_results from the newest published run of each preset.",
    grain="preset, experiment and strategy with its parameters",
    columns=STRATEGY_RESULTS.columns,
    key=("preset", "experiment", "strategy", "setting"),
    reads=("runs", "strategy_results"),
    sql="""\
SELECT s.*
FROM strategy_results s
JOIN (
  SELECT run_id, row_number() OVER (
    PARTITION BY preset ORDER BY created_at DESC, run_id DESC
  ) AS age
  FROM runs
) n ON n.run_id = s.run_id AND n.age = 1""",
)
