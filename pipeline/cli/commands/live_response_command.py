"""``groupscale live response``."""

from __future__ import annotations

import math

import typer

from pipeline.base import paths
from pipeline.cli.commands import live_scale, run_command
from pipeline.cli.commands.live_scale import Scale
from pipeline.cli.commands.options import Debug, NewRunId, Settings, Warehouse, places
from pipeline.cli.exits import FAILED, reporting_errors

PRESET = "live-response"


def response(
    set_: Settings = None,
    scale: Scale = 1.0,
    warehouse: Warehouse = None,
    run_id: NewRunId = None,
    debug: Debug = False,
) -> None:
    """Measure how fast the controller responds, compared with published times. See docs/live.md.

    Runs preset live-response, in which a consumer is killed as well. Exits with 1 if its partitions
    are not reassigned in time, or if that was not measured.
    """
    chosen = run_id or paths.new_run_id()
    with reporting_errors(debug):
        sets = [*(set_ or []), *live_scale.scaled(PRESET, set_ or [], scale)]
    run_command.run(PRESET, None, sets, None, warehouse, chosen, debug)
    with reporting_errors(debug):
        is_answered = _is_answered(places(warehouse), chosen)
    if not is_answered:
        raise typer.Exit(FAILED)


def _is_answered(place: paths.Paths, run_id: str) -> bool:
    """Whether the consumer's partitions were reassigned in time."""
    from pipeline.experiments.live.results.consumer_deaths import ANSWERED_S, longest_answer

    longest = longest_answer(place, run_id)
    if longest is None:
        print("No consumer with partitions died: how soon one is answered was not measured")
        return False
    words = f"after {longest:.2f} s" if longest < math.inf else "by nothing"
    print(f"The death of a consumer is answered {words} (required: within {ANSWERED_S:g} s)")
    return longest < ANSWERED_S
