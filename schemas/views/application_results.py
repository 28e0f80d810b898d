"""View `application_results`: what a policy costs and gives on an application, in one row."""

from dataclasses import replace

from schemas.column import Column
from schemas.column_kinds import long
from schemas.metric import Metric
from schemas.metrics import APPLICATIONS
from schemas.tables import TABLES
from schemas.view import View, select

_RUNS, _SIMULATED = (TABLES[name].column for name in ("runs", "application_runs"))


def _mean(metric: Metric) -> Column:
    own = _SIMULATED(metric.column)
    words = own.meaning[0].lower() + own.meaning[1:]
    missing = "No simulation has events on the path." if own.nullable else ""
    return replace(
        own,
        name=metric.name,
        type="double",
        meaning=f"Mean over simulations: {words}",
        null_means=missing,
    )


_COLUMNS = (
    (_RUNS("run_id"), "a.run_id"),
    (_RUNS("preset"), "max(r.preset)"),
    (_RUNS("created_at"), "max(r.created_at)"),
    *((_SIMULATED(name), f"a.{name}") for name in ("experiment", "policy")),
    (_SIMULATED("path"), "max(a.path)"),
    (long("replicates", "replicates", "Simulations that the means are of.", 1), "count(*)"),
    *((_mean(metric), f"avg(a.{metric.column})") for metric in APPLICATIONS),
)

VIEW = View(
    name="application_results",
    meaning="Instances of an application's functions and its response times under a policy, means "
    "over simulations that differ in their random numbers.",
    grain="run, experiment and policy",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "policy"),
    reads=("runs", "application_runs"),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM application_runs a
JOIN runs r ON r.run_id = a.run_id
GROUP BY a.run_id, a.experiment, a.policy""",
)
