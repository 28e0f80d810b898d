"""Recorded traces of runs with agents on consumer groups."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from pipeline.config import traces as trace_sources
from pipeline.config.learning_experiment import LearningExperiment
from pipeline.config.run_config import TraceSource
from pipeline.errors import InputError

STEP_S = 1.0
"""Agents on groups decide each second."""


def sources(experiments: Sequence[BaseModel], paths: Sequence[Path]) -> tuple[TraceSource, ...]:
    """Descriptions of the files, resampled to seconds.

    Raises
    ------
    InputError
        If no agent scales a group, or a file is not a trace.
    """
    if not paths:
        return ()
    if not any(isinstance(one, LearningExperiment) and one.scales_group for one in experiments):
        raise InputError(
            f"--trace {paths[0]}: agents on brokers learn on a simulated cluster; remove it, or "
            "use preset learning-groups"
        )
    return trace_sources.read(paths, STEP_S, totals_allowed=True).sources
