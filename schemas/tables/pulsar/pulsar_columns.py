"""Columns and rules that tables of runs of Pulsar Functions share."""

from schemas.column import Column
from schemas.column_kinds import integer, text
from schemas.rule import Rule

STOCK, EXTENDED = "stock", "extended"

AT_LEAST_ONCE, AT_MOST_ONCE = "atleast_once", "atmost_once"

EXECUTOR = text(
    "executor",
    "How the functions worker carries out a new number of instances: Pulsar's own restarts all "
    "of a function (stock), ours starts or stops the difference (extended).",
    (STOCK, EXTENDED),
)

POLICY = text(
    "policy",
    "What decides on instances, with its parameters, such as threshold:t_in=1; fixed where "
    "changes are made at set times.",
)

GROUP = ("experiment", "executor", "policy", "replicate")
"""Key of a run, next to the pipeline run's id."""


def counted(name: str, meaning: str, unit: str, least: int = 0) -> Column:
    """A measured count."""
    return integer(name, unit, meaning, least, measured=True)


def of_runs(table: str, meaning: str, counted_by: str) -> Rule:
    """Each run has as many rows as an expression of `pulsar_runs` counts."""
    keys = ", ".join(GROUP)
    return Rule(
        f"{table}_of_runs",
        meaning,
        f"SELECT {keys} FROM (SELECT {keys}, 1 AS n FROM {{batch}} UNION ALL "
        f"SELECT {keys}, -{counted_by} FROM {{pulsar_runs}}) "
        f"GROUP BY {keys} HAVING sum(n) <> 0",
    )
