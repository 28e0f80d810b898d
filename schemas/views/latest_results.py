"""View `latest_results`: the results of each preset's newest run."""

from schemas.view import View
from schemas.views.results import VIEW as RESULTS

VIEW = View(
    name="latest_results",
    meaning="Rows of results from the newest published run of each preset. Runs of recorded "
    "traces have the preset trace.",
    grain="preset, experiment, delta and algorithm",
    columns=RESULTS.columns,
    key=("preset", "experiment", "delta", "algorithm"),
    reads=("runs", "results"),
    sql="""\
SELECT r.*
FROM results r
JOIN (
  SELECT run_id, row_number() OVER (
    PARTITION BY preset ORDER BY created_at DESC, run_id DESC
  ) AS age
  FROM runs
) n ON n.run_id = r.run_id AND n.age = 1""",
)
