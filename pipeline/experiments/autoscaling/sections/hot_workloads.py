"""Hot partitions of the recorded workloads of a run on autoscaling."""

from __future__ import annotations

from pipeline.reporting.sections import hot_words
from pipeline.warehouse.runs.run_results import Results


def hot(results: Results) -> list[str]:
    """A paragraph per experiment on a trace with hot partitions; none without."""
    traces = {trace["stream_id"]: trace for trace in results.config.get("traces", [])}
    return [
        words
        for experiment in results.experiments.values()
        if experiment.get("trace") in traces
        for words in hot_words.of_trace(traces[experiment["trace"]], float(experiment["mu"]), "mu")
    ]
