"""Partitions of a recorded trace that are faster than one consumer, in sentences."""

from __future__ import annotations

from pipeline.runs.run_results import Results
from pipeline.traces.hot_partitions import Peak, sentence


def hot(results: Results) -> list[str]:
    """A paragraph per trace with hot partitions; none without."""
    capacities = [float(e["consumer_capacity"]) for e in results.experiments.values()][:1]
    return [
        f"{trace['path']}: {words}"
        for capacity in capacities
        for trace in results.config.get("traces", [])
        if (words := sentence([Peak(*peak) for peak in trace.get("fastest", [])], capacity))
    ]
