"""Observations of a live controller as strategies see them."""

from __future__ import annotations

import numpy as np

from algorithms.assignment.algorithm import Observation
from algorithms.autoscaling.dispatch import SEEING, Seen
from algorithms.autoscaling.number_checks import check_number, check_values
from algorithms.core.arrays import MAX_PARTITIONS, Bools, Floats, Longs, check_count
from algorithms.core.input_errors import InvalidParameterError

_DECIMALS = 6


def seen_of(name: str, needs: tuple[str, ...], observation: Observation, partitions: int) -> Seen:
    """Check an observation, and convert it.

    observation: Partitions that are not present have rate and lag 0.
    Returns: rates and lags rounded to 6 decimals. Missing fields are 0, no owner, or all
        partitions.
    """
    for field in needs:
        if getattr(observation, field) is None:
            raise InvalidParameterError(
                f"{field} is required by {name}; pass Observation({field}=...)"
            )
    present = _switches("present", observation.present, partitions)
    return Seen(
        time=0.0 if observation.time is None else check_number("time", observation.time),
        step=0,
        lags=_amounts("lags", observation.lags, present),
        rates=_amounts("rates", observation.rates, present),
        owners=_owners(observation, partitions),
        replicas=_replicas(observation),
        consumed=_switches("consumed", observation.consumed, partitions),
        counts=np.zeros(1) if observation.counts is None else _counts(observation.counts),
        blind=SEEING,
        arrived=_arrived(observation, partitions),
    )


def _replicas(observation: Observation) -> int:
    if observation.replicas is None:
        return 0
    return check_count("replicas", observation.replicas, 0, MAX_PARTITIONS)


def _arrived(observation: Observation, partitions: int) -> Floats:
    if observation.arrived is None:
        return np.zeros(0)
    return check_values("arrived", observation.arrived, partitions)


def _counts(counts: Floats) -> Floats:
    return check_values("counts", counts)


def _amounts(name: str, values: Floats | None, present: Bools) -> Floats:
    if values is None:
        return np.zeros(present.size)
    array = np.asarray(values)
    if array.shape == present.shape:
        array = np.where(present, array, 0.0)
    return np.round(check_values(name, array, present.size), _DECIMALS)


def _switches(name: str, values: Bools | None, partitions: int) -> Bools:
    if values is None:
        return np.ones(partitions, dtype=np.bool_)
    array = np.asarray(values)
    if array.shape != (partitions,) or array.dtype != np.bool_:
        raise InvalidParameterError(
            f"{name} must be bool[{partitions}], one value per partition "
            f"(got {array.dtype}{list(array.shape)})"
        )
    return np.ascontiguousarray(array)


def _owners(observation: Observation, partitions: int) -> Longs:
    if observation.owners is None:
        return np.full(partitions, -1, dtype=np.int64)
    array = np.asarray(observation.owners)
    if array.shape != (partitions,) or array.dtype.kind != "i" or array.min() < -1:
        raise InvalidParameterError(
            f"owners must be int32[{partitions}], one consumer id per partition, -1 for none "
            f"(got {array.tolist()})"
        )
    return np.ascontiguousarray(array, dtype=np.int64)
