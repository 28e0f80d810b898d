"""Latency of real Kafka brokers against their number and load, as `measured_latencies` has it.

Between measured loads it is interpolated; outside of what was measured nothing is said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning.measured_latencies import ROWS

BROKERS: Final = tuple(sorted({row.brokers for row in ROWS}))
LOADS: Final = tuple(sorted({row.load for row in ROWS}))
"""Numbers of brokers and loads that were measured, all of them together."""


def _cells() -> Mapping[tuple[int, float], tuple[float, ...]]:
    cells: dict[tuple[int, float], tuple[float, ...]] = {}
    for row in ROWS:
        key = row.brokers, row.load
        cells[key] = (*cells.get(key, ()), *row.latencies_ms)
    return MappingProxyType(cells)


CELLS: Final = _cells()
"""Latencies of all scrapes by brokers and load, ms."""

MEDIANS: Final = tuple(tuple(median(CELLS[brokers, load]) for brokers in BROKERS) for load in LOADS)
"""Median latency by load and brokers, ms."""


def _pooled(cells: Sequence[Sequence[float]]) -> float:
    squares, freedom = 0.0, 0
    for cell in cells:
        logs = [math.log(value) for value in cell]
        mean = sum(logs) / len(logs)
        squares += sum((value - mean) ** 2 for value in logs)
        freedom += len(logs) - 1
    return math.sqrt(squares / freedom)


SPREAD: Final = round(_pooled(tuple(CELLS.values())), 3)
"""Standard deviation of the logarithm of a scraped latency, within and between clusters."""


def latency_ms(brokers: Any, load: Any, xp: Any) -> Any:
    """Median latency of whole numbers of brokers under a load, ms; ``xp`` as in `broker_model`."""
    index = xp.asarray(brokers - BROKERS[0]).astype(int)
    own = np.eye(len(LOADS))
    rows = [xp.asarray(row)[index] for row in MEDIANS]
    shares = [xp.interp(load, xp.asarray(LOADS), xp.asarray(own[k])) for k in range(len(LOADS))]
    return sum(share * row for share, row in zip(shares, rows, strict=True))


def check_range(least: int, most: int, loads: Sequence[float]) -> None:
    """Raise InvalidParameterError if brokers or loads were not measured."""
    if least < BROKERS[0] or most > BROKERS[-1]:
        name, value = ("min_brokers", least) if least < BROKERS[0] else ("max_brokers", most)
        raise InvalidParameterError(
            f"{name} must be between {BROKERS[0]} and {BROKERS[-1]} with curve measured (got "
            f"{value}): no others were measured; choose others, or curve formula"
        )
    outside = [load for load in loads if not LOADS[0] <= load <= LOADS[-1]]
    if outside:
        raise InvalidParameterError(
            f"load must be between {LOADS[0]:g} and {LOADS[-1]:g} with curve measured (got "
            f"{outside[0]:g}): no others were measured; choose others, or curve formula"
        )
