"""Recorded workloads: a trace as the rates that a simulated consumer group gets.

A trace has rates per partition, or one total rate that is split over partitions. A partition that
is absent receives nothing, so its rate is 0. Rates count as events/s: a trace in bytes/s goes with
consumers whose ``mu`` is in bytes/s. As in `pipeline.traces`, a long silence in the recording takes
no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import check_count
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation.group_settings import MIN_STEP_S
from algorithms.workloads import partition_splits
from pipeline import limits, traces
from pipeline.errors import InputError
from pipeline.traces import Trace, hot_partitions
from pipeline.traces.hot_partitions import Peak
from pipeline.traces.model import Floats, check_size

DEFAULT_STEP_S = 1.0
"""Step of a recording without timestamps, s."""


class RecordedWorkload(NamedTuple):
    """A recorded workload of a consumer group.

    Attributes
    ----------
    name : str
        Name of the file, without its folder.
    rates : float64[N, P]
        Rates in events/s, finite and at least 0: a row per step, a column per partition.
    step_s : float
        Length of a step, s.
    digest : str
        SHA-256 of the rates as recorded, before they are resampled and split, hexadecimal: a
        recording has the same digest with any step and any partitions.
    fastest : tuple of Peak
        Its fastest partitions; none where a total rate is split.
    form : str
        Format of the file, in words; empty for the forms that are traces already.
    """

    name: str
    rates: Floats
    step_s: float
    digest: str
    fastest: tuple[Peak, ...]
    form: str = ""


def load(
    path: Path,
    *,
    partitions: int | None = None,
    split: str = "equal",
    weights: Sequence[float] | None = None,
    rounding: str = "none",
    step_s: float | None = None,
) -> RecordedWorkload:
    """Read a recorded workload.

    Parameters
    ----------
    path
        A trace in any format of `pipeline.traces`.
    partitions
        Number of partitions that one total rate is split over, at least 1; required by files of one
        total rate, and by no others.
    split, weights, rounding
        How the total is split; see `algorithms.workloads.partition_splits.split`.
    step_s
        Length of a step, s; the recording is resampled to it. Defaults to the usual step of the
        file, or 1 s for a file without timestamps.

    Raises
    ------
    InputError
        If the file is not a trace, a value is out of bounds, or a file of rates per partition
        is to be split. The message names the field, or file and line.
    """
    _check_step(step_s)
    recorded = traces.load(path)
    if recorded.is_total:
        _check_partitions(path, partitions)
    else:
        _check_unsplit(path, recorded, partitions, split, weights, rounding)
    usual_s = traces.median_step(recorded.times)
    wanted_s = usual_s if step_s is None else float(step_s)
    rates = np.nan_to_num(traces.resampled(recorded, path, wanted_s).rates, nan=0.0)
    fastest = () if recorded.is_total else hot_partitions.fastest(recorded, rates)
    if partitions is not None:
        check_size(path, len(rates), partitions, "steps")
        rates = _split(rates[:, 0], partitions, split, weights, rounding)
    final_s = DEFAULT_STEP_S if wanted_s is None else wanted_s
    form = f"{recorded.form}, {recorded.unit}" if recorded.unit else ""
    return RecordedWorkload(recorded.name, rates, final_s, recorded.digest, fastest, form)


def _check_step(step_s: float | None) -> None:
    if step_s is None:
        return
    try:
        check_number("step_s", step_s, at_least=MIN_STEP_S, at_most=limits.MAX_SECONDS)
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
    split: str,
    weights: Sequence[float] | None,
    rounding: str,
) -> None:
    """Raise `InputError` if a split is wanted of a trace that has rates per partition."""
    wanted = {
        "partitions": partitions not in (None, len(recorded.partitions)),
        "split": split != "equal",
        "weights": weights is not None,
        "rounding": rounding != "none",
    }
    for name, is_given in wanted.items():
        if is_given:
            raise InputError(
                f"{name} does not apply to {path}, which has a rate per partition "
                f"({len(recorded.partitions):,} partitions); remove it"
            )


def _split(
    total: Floats, partitions: int, split: str, weights: Sequence[float] | None, rounding: str
) -> Floats:
    try:
        return partition_splits.split(total, partitions, split, weights, rounding)
    except AlgorithmError as error:
        raise InputError(str(error)) from error
