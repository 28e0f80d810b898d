"""Notes printed before a run over recorded traces."""

from __future__ import annotations

from pipeline.settings import traces
from pipeline.settings.run_config import RunConfig


def notes(config: RunConfig, run_id: str) -> list[str]:
    """Notes on the files, one line each; see `pipeline.settings.traces.notes`."""
    return traces.notes(config.traces, config.experiments[0])
