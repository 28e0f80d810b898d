"""How many records of a run were processed in time: within the objective after they were due."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.simulation.group_settings import DEFAULTS
from pipeline.experiments.live.evidence.latency_sample import compared_records
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords
from pipeline.experiments.live.evidence.run_folder import RunFolder

OBJECTIVE_S: float = DEFAULTS["wsla_s"]
"""Longest time from due to processed of a record in time, s: that of simulated groups."""


class Served(NamedTuple):
    """Service of a run's records; None without any."""

    sla_percent: float | None
    """Records in time, % of those due in iterations that count."""
    peak_s: float | None
    """Longest time from due to processed, s."""


def served(folder: RunFolder, unread: int) -> Served:
    """Service of the records that are due in iterations that count; see `is_compared`.

    unread: Records that were sent and not processed: none of them is in time.
    """
    times = completion_times(compared_records(folder))
    due = len(times) + unread
    if not due:
        return Served(None, None)
    in_time = int(np.count_nonzero(times <= OBJECTIVE_S))
    return Served(100.0 * in_time / due, float(times.max()) if len(times) else None)


def completion_times(records: ProcessedRecords) -> Floats:
    """Time from when each record was due until it was processed, its service included, s."""
    seconds: Floats = (records.done_ns - records.due_ns) / 1e9
    return seconds
