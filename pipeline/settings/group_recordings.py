"""Recorded traces of runs with agents on consumer groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from pipeline.base.errors import InputError
from pipeline.settings import traces as trace_sources
from pipeline.settings.learning_experiment import LearningExperiment
from pipeline.settings.recordings import Recordings
from pipeline.settings.trace_source import TraceSource

STEP_S = 1.0
"""Agents on groups decide each second."""


def sources(experiments: Sequence[BaseModel], recordings: Recordings) -> tuple[TraceSource, ...]:
    """Descriptions of the files, resampled to seconds.

    Raises InputError if no agent scales a group, a file is not a trace, or two have the same rates.
    """
    if not recordings.paths:
        return ()
    if not any(isinstance(one, LearningExperiment) and one.scales_group for one in experiments):
        raise InputError(
            f"--trace {recordings.paths[0]}: no experiment of this run reads recorded streams; "
            "remove it, or use a preset whose experiments do, such as learning-groups"
        )
    read = trace_sources.read(recordings, STEP_S, totals_allowed=True)
    _check_rates_differ(read)
    return read


def _check_rates_differ(sources: Sequence[TraceSource]) -> None:
    """A published workload is named by its rates, and any other would count twice in every mean."""
    first: dict[str, Path] = {}
    for source in sources:
        other = first.setdefault(source.digest, source.path)
        if other != source.path:
            raise InputError(
                f"--trace {source.path}: has the same rates as {other} and would count twice in "
                "every mean; remove one"
            )
