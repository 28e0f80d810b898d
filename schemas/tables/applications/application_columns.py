"""Columns and rules that the tables of applications have in common."""

from schemas.column_kinds import integer, text
from schemas.rule import Rule

POLICY = text(
    "policy",
    "Policy that scales the functions, with those of its parameters that differ from the defaults, "
    "such as queueing_paths:alpha=0.25.",
)

STEP = integer("step", "index", "Interval between two decisions, from 1.", 1)

SIMULATION = ("experiment", "policy", "replicate")
"""Columns that together name a simulation."""

_PLAN = (
    "(SELECT name AS experiment, policy, replicate FROM "
    "(SELECT inline(from_json(config, 'applications ARRAY<STRUCT<name: STRING, "
    "policies: ARRAY<STRING>, replicates: INT>>').applications) FROM {runs}) "
    "LATERAL VIEW explode(policies) p AS policy "
    "LATERAL VIEW explode(sequence(1, replicates)) r AS replicate)"
)


def every_simulation() -> Rule:
    """Require exactly one row per policy and replicate of the configuration."""
    listed = ", ".join(SIMULATION)
    return Rule(
        "simulations_planned",
        "There is exactly one row per configured policy and replicate.",
        f"SELECT {listed}, sum(expected) AS n_expected, sum(found) AS n_found FROM ("
        f"SELECT {listed}, 1 AS expected, 0 AS found FROM {_PLAN} UNION ALL "
        f"SELECT {listed}, 0 AS expected, 1 AS found FROM {{batch}}) "
        f"GROUP BY {listed} HAVING sum(expected) <> 1 OR sum(found) <> 1",
    )


def steps_counted(parent: str, further: tuple[str, ...] = ()) -> Rule:
    """Require the steps of each simulation of a table, numbered from 1 without gaps.

    further: Columns besides the simulation that name a series of steps.
    """
    listed = ", ".join((*SIMULATION, *further))
    simulation = ", ".join(SIMULATION)
    return Rule(
        "steps_without_gaps",
        f"Steps go from 1 on without gaps, of each simulation of {parent} and no other.",
        f"SELECT {simulation} FROM (SELECT {listed}, count(*) AS n, max(step) AS latest "
        f"FROM {{batch}} GROUP BY {listed}) WHERE n <> latest "
        f"UNION ALL (SELECT {simulation} FROM {{{parent}}} "
        f"EXCEPT SELECT {simulation} FROM {{batch}}) "
        f"UNION ALL (SELECT {simulation} FROM {{batch}} "
        f"EXCEPT SELECT {simulation} FROM {{{parent}}})",
    )
