"""Rules that tables of live runs have in common."""

from schemas.rule import Rule

GROUP = ("stream_id", "strategy")
"""Columns that together name a run of one strategy on one stream."""

PLANNED_MOVES = "if(strategy = 'keda' OR strategy LIKE 'kafka%', 0, moves)"
"""Moves of a row of live_runs that are those of plans: Kafka's own groups have no plans."""

_PLAN = (
    "(SELECT inline(from_json(config, "
    "'live ARRAY<STRUCT<name: STRING, strategies: ARRAY<STRING>>>').live) FROM {runs})"
)


def every_strategy(rows: str) -> Rule:
    """Require exactly one group of rows per stream and configured strategy.

    Parameters
    ----------
    rows
        Query of the groups: ``stream_id``, ``strategy``, each group once.
    """
    return Rule(
        "streams_times_live_strategies",
        "Every stream has exactly the configured strategies.",
        "SELECT stream_id, strategy, sum(expected) AS n_expected, sum(found) AS n_found FROM ("
        "SELECT stream_id, explode(strategies) AS strategy, 1 AS expected, 0 AS found "
        f"FROM {{streams}} s JOIN {_PLAN} p ON p.name = s.experiment UNION ALL "
        f"SELECT stream_id, strategy, 0, 1 FROM ({rows})) "
        "GROUP BY stream_id, strategy HAVING sum(expected) <> 1 OR sum(found) <> 1",
    )
