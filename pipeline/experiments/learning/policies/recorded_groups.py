"""Recorded traces that strategies of groups are judged on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from algorithms.learning.group_traces import GroupTrace
from pipeline.base.errors import StageError
from pipeline.inputs import traces
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.published_workloads import W2

if TYPE_CHECKING:
    from pipeline.settings.trace_source import TraceSource


def load(sources: Sequence[TraceSource]) -> tuple[GroupTrace, ...]:
    """Total rates by second, rounded up to integers as the authors of the published ones do.

    The published workload W2 is split by time, so agents train on its beginning; all others are
    only judged on. Both published ones are recognised by their digest.

    Raises StageError if a file has changed since the run was configured.
    """
    return tuple(_load(source) for source in sources)


def _load(source: TraceSource) -> GroupTrace:
    recorded = source.reading.load(source.path)
    trace = traces.resampled(recorded, source.path, source.step_seconds)
    if trace.digest != source.digest:
        raise StageError(f"{source.path.name}: changed after the run was configured; restore it")
    published = published_workloads.recognised(trace.digest)
    rates = np.ceil(np.nansum(trace.rates, axis=1))
    name = source.stream_id if published is None else published.name
    return GroupTrace(name, rates, by_time=published == W2)
