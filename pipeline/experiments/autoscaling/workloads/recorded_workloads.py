"""Recorded workloads: a trace as the rates that a simulated consumer group gets.

A trace has rates per partition, or one total rate that is split over partitions. A partition that
is absent receives nothing, so its rate is 0. Rates count as events/s: a trace in bytes/s goes with
consumers whose ``mu`` is in bytes/s. As in `pipeline.inputs.traces`, a long silence in the
recording takes no time.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import check_count
from algorithms.core.group_declarations import MAX_SECONDS, MIN_STEP_S
from algorithms.core.input_errors import AlgorithmError
from algorithms.workloads import partition_splits
from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.workloads.workload import (
    BYTES,
    EQUAL,
    EVENTS,
    SplitChoice,
    Workload,
)
from pipeline.inputs import traces
from pipeline.inputs.traces import Trace, hot_partitions, partition_layout
from pipeline.inputs.traces.model import Floats, check_size
from pipeline.inputs.traces.reading import RECOGNIZED, Reading

DEFAULT_STEP_S = 1.0
"""Step of a recording without timestamps, s."""


def load(
    path: Path,
    *,
    partitions: int | None = None,
    split: SplitChoice = EQUAL,
    rounding: str = "none",
    step_s: float | None = None,
    reading: Reading = RECOGNIZED,
) -> Workload:
    """Read a recorded workload.

    path: A trace in any format of `pipeline.inputs.traces`.
    partitions: Number of partitions that one total rate is split over, at least 1; required by
        files of one total rate, and by no others.
    split, rounding: How the total is split; see `algorithms.workloads.partition_splits.split`.
    step_s: Length of a step, s; the recording is resampled to it. Defaults to the usual step of the
        file, or 1 s for a file without timestamps.
    Raises InputError if the file is not a trace, a value is out of bounds, or a file of rates per
        partition is to be split. The message names the field, or file and line.
    """
    _check_step(step_s)
    recorded = traces.read(path, reading)
    if recorded.is_total:
        _check_partitions(path, partitions)
    else:
        _check_unsplit(path, recorded, partitions, split, rounding)
    usual_s = traces.median_step(recorded.times)
    wanted_s = usual_s if step_s is None else float(step_s)
    resampled = traces.resampled(recorded, path, wanted_s)
    workload = laid_out(path, recorded, resampled, wanted_s or DEFAULT_STEP_S)
    if partitions is not None and recorded.is_total:
        check_size(path, len(workload.rates), partitions, "steps")
        rates = _split(workload.rates[:, 0], partitions, split, rounding)
        workload = workload._replace(rates=rates, topics=())
    averaged_s = max(workload.step_s, usual_s or 0.0)
    return workload._replace(averaged_s=averaged_s, digest=recorded.digest)


def laid_out(path: Path, recorded: Trace, resampled: Trace, step_s: float) -> Workload:
    """The workload of a trace: its partitions by topic and number, those that are absent at 0.

    path: The file, for messages.
    recorded, resampled: The trace as recorded, and in steps of one length.
    Raises InputError if too many partitions are missing between others.
    """
    layout = partition_layout.of(path, resampled.partitions)
    check_size(path, len(resampled.rates), len(layout.columns), "steps")
    rates = np.nan_to_num(layout.arranged(resampled.rates), nan=0.0)
    return Workload(
        recorded.name,
        rates,
        step_s,
        resampled.digest,
        fastest=() if recorded.is_total else hot_partitions.fastest(recorded, resampled.rates),
        form=f"{recorded.form}, {recorded.unit}" if recorded.unit else "",
        topics=() if recorded.is_total else layout.topics,
        started_at=recorded.started_at,
        unit=BYTES if recorded.unit == traces.BYTES else EVENTS,
        notes=(*recorded.notes, *layout.notes),
        group=recorded.group,
    )


def _check_step(step_s: float | None) -> None:
    if step_s is None:
        return
    try:
        check_number("step_s", step_s, at_least=MIN_STEP_S, at_most=MAX_SECONDS)
    except AlgorithmError as error:
        raise InputError(str(error)) from error


def _check_partitions(path: Path, partitions: int | None) -> None:
    if partitions is None:
        raise InputError(
            f"partitions must be given (got none): {path} has one total rate, which is split over "
            "them"
        )
    try:
        check_count("partitions", partitions, 1, limits.MAX_PARTITIONS)
    except AlgorithmError as error:
        raise InputError(str(error)) from error


def _check_unsplit(
    path: Path,
    recorded: Trace,
    partitions: int | None,
    split: SplitChoice,
    rounding: str,
) -> None:
    """Raise `InputError` if a split is wanted of a trace that has rates per partition."""
    options = {
        "partitions": partitions not in (None, len(recorded.partitions)),
        "split": split.how != "equal",
        "weights": split.weights is not None,
        "rounding": rounding != "none",
    }
    for name, is_given in options.items():
        if is_given:
            raise InputError(
                f"{name} does not apply to {path}, which has a rate per partition "
                f"({len(recorded.partitions):,} partitions); remove it"
            )


def _split(total: Floats, partitions: int, split: SplitChoice, rounding: str) -> Floats:
    try:
        return partition_splits.split(total, partitions, split.how, split.weights, rounding)
    except AlgorithmError as error:
        raise InputError(str(error)) from error
