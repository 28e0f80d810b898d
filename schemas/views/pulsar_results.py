"""View `pulsar_results`: what a policy and an executor did on Pulsar, in one row."""

from dataclasses import replace

from schemas.column import Column
from schemas.column_kinds import long
from schemas.metric import Metric
from schemas.metrics import PULSAR
from schemas.tables import TABLES
from schemas.view import View, select

_RUNS, _OWN = (TABLES[name].column for name in ("runs", "pulsar_runs"))


def _column(metric: Metric) -> Column:
    meaning = f"Mean over the replicates of pulsar_runs.{metric.column}."
    return replace(_OWN(metric.column), name=metric.name, meaning=meaning, measured=False)


_REPLICATES = long("replicates", "runs", "Runs that differ in their seed.", 1)
_LOST = long("lost", "events", "Events that Pulsar stored and that never came out.")
_REPEATED = long("repeated", "events", "Times that an event came out again.")

_COLUMNS = (
    (_RUNS("run_id"), "m.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    *((_OWN(name), f"m.{name}") for name in ("experiment", "executor", "policy")),
    (_REPLICATES, "m.replicates"),
    *((_column(metric), f"m.{metric.name}") for metric in PULSAR),
    (_LOST, "m.lost"),
    (_REPEATED, "m.repeated"),
)

_VALUES = ", ".join(f"avg({metric.column}) AS {metric.name}" for metric in PULSAR)

VIEW = View(
    name="pulsar_results",
    meaning="What a policy and an executor did on Pulsar, over the replicates of an experiment.",
    grain="run, experiment, executor and policy",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "executor", "policy"),
    reads=("runs", "pulsar_runs"),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM (
  SELECT run_id, experiment, executor, policy, count(*) AS replicates, {_VALUES},
    CAST(sum(lost) AS BIGINT) AS lost, CAST(sum(repeated) AS BIGINT) AS repeated
  FROM pulsar_runs
  GROUP BY run_id, experiment, executor, policy
) m
JOIN runs r ON r.run_id = m.run_id""",
)
