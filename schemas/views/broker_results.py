"""View `broker_results`: how brokers joined and left in an experiment, in a row each."""

from dataclasses import replace

from schemas.column import Column
from schemas.column_kinds import double, long
from schemas.metric import Metric
from schemas.metrics import BROKERS
from schemas.tables import TABLES
from schemas.view import View, select

_RUNS, _LOADS, _OWN = (TABLES[name].column for name in ("runs", "broker_runs", "broker_scalings"))

_SPREADS = {"replica_spread": "Replicas", "leader_spread": "Leaders"}


def _column(metric: Metric) -> Column:
    column = _OWN(metric.column)
    meaning = f"Mean over the scalings of broker_scalings.{metric.column}."
    return replace(column, name=metric.name, meaning=meaning, measured=False)


_COLUMNS = (
    (_RUNS("run_id"), "s.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    (_OWN("experiment"), "s.experiment"),
    (_LOADS("planner"), "b.planner"),
    (_LOADS("replication"), "b.replication"),
    (_OWN("kind"), "s.kind"),
    (long("scalings", "scalings", "Brokers that joined or left.", 1), "s.scalings"),
    (
        long("finished", "scalings", "Of these, neither cancelled nor undone."),
        "s.finished",
    ),
    *((_column(metric), f"s.{metric.name}") for metric in BROKERS),
    (long("moves", "replicas", "Replicas to copy by all plans."), "s.moves"),
    (long("bound", "replicas", "Replicas that no plans can do without."), "s.bound"),
    (long("moved_bytes", "bytes", "Bytes of these replicas."), "s.moved_bytes"),
    *(
        (double(name, _OWN(name).unit, f"{what} per broker: most − least, mean."), f"s.{name}")
        for name, what in _SPREADS.items()
    ),
)

_VALUES = ", ".join(f"avg({metric.column}) AS {metric.name}" for metric in BROKERS)

_MEANS = ", ".join(f"avg({name}) AS {name}" for name in _SPREADS)

VIEW = View(
    name="broker_results",
    meaning="How brokers joined a cluster, and how they left it, over the scalings of an "
    "experiment.",
    grain="run, experiment and kind of scaling",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "kind"),
    reads=("runs", "broker_runs", "broker_scalings"),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM (
  SELECT run_id, experiment, kind, count(*) AS scalings,
    CAST(sum(CASE WHEN outcome = 'done' THEN 1 ELSE 0 END) AS BIGINT) AS finished, {_VALUES},
    CAST(sum(moves) AS BIGINT) AS moves, CAST(sum(bound) AS BIGINT) AS bound,
    CAST(sum(moved_bytes) AS BIGINT) AS moved_bytes, {_MEANS}
  FROM broker_scalings
  GROUP BY run_id, experiment, kind
) s
JOIN runs r ON r.run_id = s.run_id
JOIN broker_runs b ON b.run_id = s.run_id AND b.experiment = s.experiment
  AND b.producers = 'plain'""",
)
