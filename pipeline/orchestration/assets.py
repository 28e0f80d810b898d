"""The tables as Airflow assets, on which you can schedule other DAGs.

A table's asset gets an event when a run is *published*, not when its rows are written, so a DAG
that starts on it finds the published rows. The event's extra holds run id, preset, table and
location.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset

from pipeline.base.text.addresses import without_password
from pipeline.experiments.family_list import stages_in

if TYPE_CHECKING:
    from pipeline.warehouse.runs.context import RunContext

GROUP = "groupscale"


def asset(table: str) -> Asset:
    """The asset ``groupscale_TABLE``, the same for all warehouses."""
    return Asset(f"groupscale_{table}", uri=f"x-groupscale://tables/{table}", group=GROUP)


def outlets(family: str) -> list[Asset]:
    """Assets of all tables that a published run of a family fills."""
    return [asset(table) for table in filled(family)]


def filled(family: str) -> tuple[str, ...]:
    """Tables with rows of every published run of a family."""
    written = (table for item in stages_in(family) for table in item.writes)
    return (*dict.fromkeys(written), "validations", "runs")


def extra(table: str, ctx: RunContext) -> dict[str, Any]:
    """Extra of an event about a published run."""
    return {
        "run_id": ctx.run_id,
        "preset": ctx.config.preset,
        "table": table,
        "location": without_password(ctx.paths.table(table)),
    }
