"""Where to look for the results of a published run."""

from __future__ import annotations

import shlex

from pipeline.base import paths
from pipeline.warehouse.runs.context import RunContext


def where(ctx: RunContext) -> list[str]:
    """Lines for the tables, the report, and the command that prints what the report has."""
    place = ctx.paths.warehouse
    is_default = place == paths.Paths(paths.home() / "warehouse").warehouse
    option = "" if is_default else f" --warehouse {shlex.quote(str(place))}"
    return [
        f"Run {ctx.run_id} is published in {place}",
        f"Report: {ctx.paths.report(ctx.run_id)}",
        f"Tables: groupscale report {ctx.run_id} --tables{option}",
    ]
