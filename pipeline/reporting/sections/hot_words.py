"""Partitions of a recorded trace that are faster than one consumer, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.inputs.traces.hot_partitions import Peak, sentence


def of_trace(
    trace: Mapping[str, Any], consumer_capacity: float, setting: str = "consumer_capacity"
) -> list[str]:
    """A paragraph on a trace's hot partitions; none without.

    Parameters
    ----------
    trace
        The trace as a run's configuration stores it.
    consumer_capacity, setting
        Rate that one consumer reads, and the name of the setting.
    """
    peaks = [Peak(*peak) for peak in trace["fastest"]]
    words = sentence(peaks, consumer_capacity, setting, trace["hot"])
    return [f"{trace['path']}: {words}"] if words else []
