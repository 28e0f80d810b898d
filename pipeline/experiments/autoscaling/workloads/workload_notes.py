"""What readers of an answer should know about the workload that it is based on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from pipeline.experiments.autoscaling.workloads.workload import BYTES, Workload

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig

IN_BYTES = (
    "Rates are in bytes/s, so mu and lag count bytes. KEDA compares its threshold with a lag in "
    "messages: for settings of KEDA, record offsets."
)


def of(workload: Workload) -> list[str]:
    """Notes on a workload, in sentences."""
    return [*workload.notes, *([IN_BYTES] if workload.unit == BYTES else [])]


def moment(started_at: datetime | None) -> str | None:
    """A point in time as ISO 8601 in UTC, such as ``2026-03-02T08:00:00Z``; None without one."""
    return None if started_at is None else started_at.isoformat().replace("+00:00", "Z")


def notes(config: RunConfig, run_id: str) -> list[str]:
    """What is said before a run over recorded workloads, one line each.

    Forms of the files that were converted, what readers noted, published workloads among them, and
    hot partitions.
    """
    from pipeline.settings import traces

    sources = {source.stream_id: source for source in config.traces}
    hot = [
        line
        for one in config.autoscaling
        if one.trace in sources
        for line in traces.hot_notes(sources[one.trace], one.mu, "mu")
    ]
    return [
        *traces.form_notes(config.traces),
        *traces.reader_notes(config.traces),
        *_published(config),
        *hot,
    ]


def _published(config: RunConfig) -> Iterator[str]:
    """The files that are published workloads, whatever their names."""
    from pipeline.inputs.traces import published_workloads

    for source in config.traces:
        workload = published_workloads.recognised(source.digest)
        if workload is not None:
            yield (
                f"Recognized {source.path.name} by its rates as published workload "
                f"{workload.name}: {workload.title}."
            )
