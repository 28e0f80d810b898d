"""Hot partitions of the recorded traces of a run on assignment."""

from __future__ import annotations

from pipeline.reporting.sections import hot_words
from pipeline.warehouse.runs.run_results import Results


def hot(results: Results) -> list[str]:
    """A paragraph per trace with hot partitions; none without."""
    capacities = [float(e["consumer_capacity"]) for e in results.experiments.values()][:1]
    return [
        words
        for capacity in capacities
        for trace in results.config.get("traces", [])
        for words in hot_words.of_trace(trace, capacity)
    ]
