"""View `learning_results`: what an agent reaches, in one row."""

from dataclasses import replace

from schemas.column import Column
from schemas.metric import Metric
from schemas.metrics import LEARNING
from schemas.tables import TABLES
from schemas.view import View, select

_RUNS, _SCORES = (TABLES[name].column for name in ("runs", "learning_scores"))


def _column(metric: Metric) -> Column:
    return replace(_SCORES(metric.column), name=metric.name)


_COLUMNS = (
    (_RUNS("run_id"), "s.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    *(
        (_SCORES(name), f"s.{name}")
        for name in ("experiment", "agent", "reward", "variant", "seeds", "successes")
    ),
    *((_column(metric), f"s.{metric.column}") for metric in LEARNING),
    *((_SCORES(f"share_{end}"), f"s.share_{end}") for end in ("low", "high")),
    *((_SCORES(f"score_{end}"), f"s.score_{end}") for end in ("low", "high")),
)

VIEW = View(
    name="learning_results",
    meaning="What a learning agent reaches over its seeds after all training episodes.",
    grain="run, experiment, agent, reward and variant",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "agent", "reward", "variant"),
    reads=("runs", "learning_scores"),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM learning_scores s
JOIN runs r ON r.run_id = s.run_id""",
)
