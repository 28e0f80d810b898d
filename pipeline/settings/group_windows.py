"""Whether agents on groups have a trace to train on that is as long as their windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from algorithms.learning.learned_group import TRAIN_SHARE, training_seconds
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.published_workloads import W2
from pipeline.settings.field_checks import FieldError

if TYPE_CHECKING:
    from pipeline.settings.learning_experiment import LearningExperiment
    from pipeline.settings.trace_source import TraceSource


def check(experiments: Sequence[LearningExperiment], traces: Sequence[TraceSource]) -> None:
    """Refuse windows that fit into no part for training.

    Generated traces have such a part, and of recorded ones the published W2.

    Raises FieldError: Names the variant, and how long windows can be.
    """
    recorded = [
        training_seconds(one.iterations)
        for one in traces
        if published_workloads.recognised(one.digest) == W2
    ]
    for one in experiments:
        if one.scales_group:
            _check(one, max(training_seconds(one.trace_seconds), *recorded, 0))


def _check(one: LearningExperiment, longest: int) -> None:
    for variant in one.variants:
        window = one.group_settings(variant).training.window_s
        if window > longest:
            raise FieldError(
                f"`window_s` must be at most {longest:,} s, the longest part of a trace that "
                f"agents train on (got {window:,} s in variant {variant}); shorten `window_s`, or "
                f"raise `trace_seconds`, of which they train on {100.0 * TRAIN_SHARE:g} %",
                "window_s",
                "trace_seconds",
            )
