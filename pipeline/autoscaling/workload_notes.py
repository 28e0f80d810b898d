"""Notes printed before a run over recorded workloads."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.config import traces
from pipeline.config.run_config import RunConfig
from pipeline.traces import published_workloads


def notes(config: RunConfig, run_id: str) -> list[str]:
    """Forms of the files that were converted, published workloads among them, and hot partitions.

    One line each.
    """
    sources = {source.stream_id: source for source in config.traces}
    hot = [
        line
        for one in config.autoscaling
        if one.trace in sources
        for line in traces.hot_notes(sources[one.trace], one.mu, "mu")
    ]
    return [*traces.form_notes(config.traces), *_published(config), *hot]


def _published(config: RunConfig) -> Iterator[str]:
    """The files that are published workloads, whatever their names."""
    for source in config.traces:
        workload = published_workloads.recognised(source.digest)
        if workload is not None:
            yield (
                f"Recognized {source.path.name} by its rates as published workload "
                f"{workload.name}: {workload.title}."
            )
