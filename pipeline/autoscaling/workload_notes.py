"""Notes printed before a run over recorded workloads."""

from __future__ import annotations

from pipeline.config import traces
from pipeline.config.run_config import RunConfig


def notes(config: RunConfig, run_id: str) -> list[str]:
    """Forms of the files that were converted, and their hot partitions, one line each."""
    sources = {source.stream_id: source for source in config.traces}
    hot = [
        line
        for one in config.autoscaling
        if one.trace in sources
        for line in traces.hot_notes(sources[one.trace], one.mu, "mu")
    ]
    return [*traces.form_notes(config.traces), *hot]
