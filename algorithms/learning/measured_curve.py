"""Latency of real Kafka brokers against their number and load, as `measured_latencies` has it.

Between measured loads it is interpolated; outside of what was measured nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import measured_latencies
from algorithms.learning.measured_latencies import MeasuredRow


class Curve(NamedTuple):
    """Median latency of numbers of brokers under loads."""

    brokers: tuple[int, ...]
    """One after the other."""
    loads: tuple[float, ...]
    medians_ms: tuple[tuple[float, ...], ...]
    """By load and brokers, of all scrapes of all clusters."""


@cache
def curve_of(rows: tuple[MeasuredRow, ...]) -> Curve:
    """Curve of rows with every number of brokers under every load."""
    brokers = tuple(sorted({row.brokers for row in rows}))
    loads = tuple(sorted({row.load for row in rows}))

    def cell(load: float, number: int) -> float:
        own = [row.latencies_ms for row in rows if (row.load, row.brokers) == (load, number)]
        return median(value for latencies in own for value in latencies)

    return Curve(brokers, loads, tuple(tuple(cell(x, n) for n in brokers) for x in loads))


def latency_ms(brokers: Any, load: Any, xp: Any) -> Any:
    """Median latency of whole numbers of brokers under a load, ms; ``xp`` as in `broker_model`."""
    curve = curve_of(measured_latencies.ROWS)
    index = xp.asarray(brokers - curve.brokers[0]).astype(int)
    unit = np.eye(len(curve.loads))
    shares = [xp.interp(load, xp.asarray(curve.loads), xp.asarray(own)) for own in unit]
    return sum(
        share * xp.asarray(row)[index] for share, row in zip(shares, curve.medians_ms, strict=True)
    )


def check_range(least: int, most: int, loads: Sequence[float]) -> None:
    """Raise InvalidParameterError if brokers or loads were not measured."""
    curve = curve_of(measured_latencies.ROWS)
    if not curve.loads:
        raise InvalidParameterError(
            "curve must be formula while no latencies were measured (got measured); measure them "
            "with `make bench-brokers` on a quiet machine"
        )
    first, last = curve.brokers[0], curve.brokers[-1]
    for name, number in (("min_brokers", least), ("max_brokers", most)):
        if not first <= number <= last:
            raise InvalidParameterError(
                f"{name} must be between {first} and {last} with curve measured (got {number}): no "
                "others were measured; choose others, or curve formula"
            )
    outside = [load for load in loads if not curve.loads[0] <= load <= curve.loads[-1]]
    if outside:
        raise InvalidParameterError(
            f"load must be between {curve.loads[0]:g} and {curve.loads[-1]:g} with curve measured "
            f"(got {outside[0]:g}): no others were measured; choose others, or curve formula"
        )
