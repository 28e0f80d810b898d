"""How groups get over events, in columns of tables."""

from __future__ import annotations

import math

from algorithms.simulation.incident_figures import Recovery
from pipeline.base.text.fitted_table import Column
from pipeline.reporting.sections import numbers

COLUMNS = (
    Column("late\nevents", 1),
    Column("greatest\nage", 3),
    Column("lag gone\nafter", 2),
)

MEANING = (
    "Late events: beyond those of the same group without events. Greatest age: of an event until "
    "the lag is gone. Gone: the lag is what it is without events."
)


def cells(recovery: Recovery) -> tuple[str, str, str]:
    """Late events, greatest age, and time until the lag is gone."""
    return (
        numbers.count(recovery.late),
        numbers.duration(recovery.longest_s) if math.isfinite(recovery.longest_s) else "∞",
        numbers.MISSING if is_open(recovery) else numbers.duration(recovery.gone_after_s),
    )


def is_open(recovery: Recovery) -> bool:
    """Whether the lag is not gone as the simulation ends."""
    return math.isnan(recovery.gone_after_s)
