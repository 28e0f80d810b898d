"""Recorded traces that strategies of groups are judged on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from algorithms.learning.group_traces import GroupTrace
from pipeline.inputs.traces import Trace, published_workloads
from pipeline.inputs.traces.published_workloads import W2


def of(traces: Mapping[str, Trace]) -> tuple[GroupTrace, ...]:
    """Total rates by second, rounded up to integers as the authors of the published ones do.

    The published workload W2 is split by time, so agents train on its beginning; all others are
    only judged on. Both published ones are recognised by their digest.

    traces: In seconds, by stream.
    """
    return tuple(_group_trace(stream_id, trace) for stream_id, trace in traces.items())


def _group_trace(stream_id: str, trace: Trace) -> GroupTrace:
    published = published_workloads.recognised(trace.digest)
    rates = np.ceil(np.nansum(trace.rates, axis=1))
    name = stream_id if published is None else published.name
    return GroupTrace(name, rates, by_time=published == W2)
