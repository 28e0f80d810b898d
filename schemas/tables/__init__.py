"""The contracts, one module per table. A new table needs its module and a line here."""

from collections.abc import Mapping
from importlib import import_module

from schemas.table import Table, index

ORDER = (
    "common.runs",
    "common.streams",
    "assignment.measurements",
    "assignment.assignments",
    "assignment.bounds",
    "assignment.scores",
    "assignment.latency",
    "assignment.pareto",
    "assignment.comparisons",
    "assignment.rankings",
    "assignment.indicators",
    "assignment.dominance",
    "autoscaling.simulations",
    "autoscaling.trajectories",
    "autoscaling.actions",
    "autoscaling.trade_offs",
    "common.published_figures",
    "live.live_runs",
    "live.live_plans",
    "live.live_events",
    "live.live_lag",
    "live.live_latency",
    "live.live_integrity",
    "live.live_agreement",
    "learning.trainings",
    "learning.policies",
    "learning.evaluations",
    "learning.learning_scores",
    "learning.learning_verdicts",
    "learning.group_evaluations",
    "learning.group_scores",
    "learning.group_fronts",
)
"""Modules of the tables with results, in the order in which a run fills them."""


def _contract(module: str) -> Table:
    table: Table = import_module(f"{__name__}.{module}").TABLE
    return table


def _all() -> Mapping[str, Table]:
    from schemas.tables.common import baselines, differences, validations

    results = [_contract(module) for module in ORDER]
    checked = [table.name for table in (*results, differences.TABLE)]
    validated = validations.contract(tuple(checked))
    return index(*results, baselines.TABLE, differences.TABLE, validated)


TABLES = _all()
"""Contract of each table by name, in the order in which a run fills them."""
