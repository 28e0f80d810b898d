"""Rules that tables of live runs have in common."""

from schemas.rule import Rule

GROUP = ("stream_id", "strategy")
"""Columns that together name a run of one strategy on one stream."""

CONSUMER_ENDS = ("exited", "lost", "fenced")
"""Faults after which the next owner of a partition continues at the last progress."""

EXCUSES_REPEATS = (*CONSUMER_ENDS, "lag")
"""Faults after which records may be processed again. `lag` is of one of Kafka's own groups: brokers
that do not answer take no commits either. A controller that recovers stops no consumer."""

EXCUSES_MOVES = (*CONSUMER_ENDS, "recover")
"""Faults after which owners may change more often than plans in live_plans move partitions: a plan
that a controller had begun before it recovered is not among them."""

_OWN_GROUPS = ("kafka", "asking:", "keda_http:", "keda_external:", "keda_prometheus")
"""How names of strategies begin, besides ``keda``, whose members are groups of Kafka's own."""

_IS_OWN = " OR ".join(f"strategy LIKE '{own}%'" for own in _OWN_GROUPS)

PLANNED_MOVES = f"if(strategy = 'keda' OR {_IS_OWN}, 0, moves)"
"""Moves of a row of live_runs that are those of plans: Kafka's own groups have no plans."""

_PLAN = (
    "(SELECT inline(from_json(config, "
    "'live ARRAY<STRUCT<name: STRING, strategies: ARRAY<STRING>>>').live) FROM {runs})"
)


def excuses(events: str, kinds: tuple[str, ...]) -> str:
    """Query of faults of some kinds among `live_events`: ``stream_id``, ``strategy``."""
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    return (
        f"SELECT {', '.join(GROUP)} FROM {events} WHERE component = 'fault' AND kind IN ({listed})"
    )


def every_strategy(rows: str) -> Rule:
    """Require one group of rows per stream and strategy, each once in query ``rows``."""
    return Rule(
        "streams_times_live_strategies",
        "Every stream has exactly the configured strategies.",
        "SELECT stream_id, strategy, sum(expected) AS n_expected, sum(found) AS n_found FROM ("
        "SELECT stream_id, explode(strategies) AS strategy, 1 AS expected, 0 AS found "
        f"FROM {{streams}} s JOIN {_PLAN} p ON p.name = s.experiment UNION ALL "
        f"SELECT stream_id, strategy, 0, 1 FROM ({rows})) "
        "GROUP BY stream_id, strategy HAVING sum(expected) <> 1 OR sum(found) <> 1",
    )
