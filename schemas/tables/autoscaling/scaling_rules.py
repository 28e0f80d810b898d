"""Rules that tables of autoscaling have in common."""

from collections.abc import Sequence

from schemas.rule import Rule

_PLAN = (
    "(SELECT inline(from_json(config, 'autoscaling "
    "ARRAY<STRUCT<name: STRING, strategies: ARRAY<STRING>, recorded: INT>>').autoscaling) "
    "FROM {runs})"
)


def every_candidate(rows: str, first: bool = False) -> Rule:
    """Require exactly one group of rows per stream and configured candidate.

    rows: Query of the groups: ``stream_id``, ``strategy``, ``setting``, each group once.
    first: Whether only the streams whose steps are recorded have rows.
    """
    limited = "WHERE s.replicate <= p.recorded " if first else ""
    label = "if(setting = '', strategy, concat(strategy, ':', setting))"
    return Rule(
        "streams_times_strategies",
        "Every stream has exactly the configured strategies with their parameters"
        + (", if its steps are recorded." if first else "."),
        "SELECT stream_id, candidate, sum(expected) AS n_expected, sum(found) AS n_found FROM ("
        "SELECT stream_id, explode(strategies) AS candidate, 1 AS expected, 0 AS found "
        f"FROM {{streams}} s JOIN {_PLAN} p ON p.name = s.experiment {limited}UNION ALL "
        f"SELECT stream_id, {label}, 0, 1 FROM ({rows})) "
        "GROUP BY stream_id, candidate HAVING sum(expected) <> 1 OR sum(found) <> 1",
    )


def off_average(values: Sequence[str]) -> str:
    """State that a row's means are not those of the simulations, beyond the rounding of sums.

    A mean is null if and only if a value is.
    """
    return " OR ".join(
        f"(max({value}) FILTER (WHERE replicates IS NOT NULL) IS NULL) "
        f"<> (count_if(replicates IS NULL AND {value} IS NULL) > 0) "
        f"OR abs(max({value}) FILTER (WHERE replicates IS NOT NULL) "
        f"- avg({value}) FILTER (WHERE replicates IS NULL)) "
        f"> 1e-9 * (1 + abs(avg({value}) FILTER (WHERE replicates IS NULL)))"
        for value in values
    )
