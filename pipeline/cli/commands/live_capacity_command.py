"""``groupscale live capacity``."""

from __future__ import annotations

from pipeline.cli.commands import run_command
from pipeline.cli.commands.options import Debug, NewRunId, Settings, Warehouse

PRESET = "live-capacity"


def capacity(
    set_: Settings = None,
    warehouse: Warehouse = None,
    run_id: NewRunId = None,
    debug: Debug = False,
) -> None:
    """Measure how fast one consumer with a full log is, compared with published speeds.

    Runs preset live-capacity. See docs/live.md.
    """
    run_command.run(PRESET, None, set_, None, warehouse, run_id, debug)
