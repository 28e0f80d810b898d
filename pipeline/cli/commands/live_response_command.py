"""``groupscale live response``."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.commands import live_scale, run_command
from pipeline.cli.commands.live_scale import Scale
from pipeline.cli.commands.options import Debug, Settings, Warehouse
from pipeline.cli.exits import FAILED, reporting_errors

PRESET = "live-response"

DEATH = "consumer-killed"
"""The fault whose answer is timed."""


def response(
    set_: Settings = None,
    scale: Scale = 1.0,
    warehouse: Warehouse = None,
    run_id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Id of the run \\[default: a new id]"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Measure how fast the controller responds, compared with published times. See docs/live.md.

    Runs preset live-response, then kills a consumer and measures how long its partitions wait.
    """
    with reporting_errors(debug):
        sets = [*(set_ or []), *live_scale.scaled(PRESET, set_ or [], scale)]
    run_command.run(PRESET, None, sets, None, warehouse, run_id, debug)
    with reporting_errors(debug):
        is_answered = _death()
    if not is_answered:
        raise typer.Exit(FAILED)


def _death() -> bool:
    """Kill a consumer of a further run; whether its partitions were elsewhere in time."""
    from pipeline.measured import scratch_folders
    from pipeline.measured.faults import run_faults

    with scratch_folders.new("response-") as folder:
        (outcome,) = run_faults.run([DEATH], folder)
    words = "; ".join(outcome.wrong) or f"answered after {outcome.answered_s:.2f} s"
    print(f"A consumer is killed ({outcome.fault.expected}): {words}")
    return not outcome.wrong
