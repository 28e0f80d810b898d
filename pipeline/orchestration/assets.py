"""The tables as Airflow assets, which DAGs of others can be scheduled on.

A table's asset gets an event when a run is *published*, not when its rows are written: whoever
starts on it finds the rows of that run among the published ones. The event's extra says which
run, of which preset, and where the table is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset

from pipeline.stages import STAGES
from pipeline.text.addresses import without_password

if TYPE_CHECKING:
    from pipeline.runs.context import RunContext

GROUP = "groupscale"
TABLES = (*dict.fromkeys(table for item in STAGES for table in item.writes), "validations", "runs")
"""Tables that hold something of every published run."""


def asset(table: str) -> Asset:
    """The asset ``groupscale_TABLE``, the same one whatever the warehouse."""
    return Asset(f"groupscale_{table}", uri=f"x-groupscale://tables/{table}", group=GROUP)


def outlets() -> list[Asset]:
    """Assets of all tables that a published run fills."""
    return [asset(table) for table in TABLES]


def extra(table: str, ctx: RunContext) -> dict[str, Any]:
    """What an event tells of the run that was published."""
    return {
        "run_id": ctx.run_id,
        "preset": ctx.config.preset,
        "table": table,
        "location": without_password(ctx.paths.table(table)),
    }
