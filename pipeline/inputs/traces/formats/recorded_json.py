"""JSON of the paper's authors: a list of measurements ``{topic: {partition: rate}}``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.model import ABSENT, RATE, check_name, check_size
from pipeline.inputs.traces.rates.long_table import RATES, LongTable, Measurements

FORM = 'a list of measurements such as {"topic": {"0": 12.5, "1": 3}}'


def table(path: Path, measurements: object) -> LongTable:
    """Measurements in the content of a JSON file; partitions are named ``topic/partition``.

    Raises InputError if the content has another form (names the measurement).
    """
    if not isinstance(measurements, list):
        raise InputError(
            f"{path}: unsupported JSON layout: expected {FORM}, or an answer of Prometheus (got "
            f"{shown(measurements)}); {SEE}"
        )
    if not measurements:
        raise InputError(f"{path}: must be {FORM} (got no measurements)")
    check_size(path, len(measurements), 0)
    names = _Names()
    rows = [
        _row(f"{path}: measurement {number}", measurement, names)
        for number, measurement in enumerate(measurements, start=1)
    ]
    if not names.places:
        raise InputError(f"{path}: must be {FORM} (got no partitions)")
    check_size(path, len(rows), len(names.places))
    ranks = np.repeat(np.arange(len(rows)), [len(places) for places, _ in rows])
    return LongTable(
        path,
        "JSON of measurements",
        np.array([place for places, _ in rows for place in places]),
        ranks.astype(np.float64),
        np.array([speed for _, speeds in rows for speed in speeds], dtype=np.float64),
        list(names.places),
        kind=RATES,
        measurements=Measurements(
            len(rows), ranks, None, lambda row: f"{path}: measurement {ranks[row] + 1}"
        ),
    )


class _Names:
    """Indexes of the partitions, in the order in which they arrive."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def of(self, where: str, topic: str, partitions: dict[str, Any]) -> list[int]:
        """Indexes of the partitions of a topic; new ones come last."""
        places = self.places
        check_name(where, len(topic) + 1 + max(map(len, partitions), default=0))
        return [places.setdefault(f"{topic}/{name}", len(places)) for name in partitions]


def _row(where: str, measurement: object, names: _Names) -> tuple[list[int], list[float]]:
    """Partition indexes and rates of one measurement; null means absent."""
    if not isinstance(measurement, dict):
        raise InputError(
            f"{where}: unsupported JSON layout: expected {FORM} (got {shown(measurement)}); {SEE}"
        )
    places: list[int] = []
    speeds: list[float] = []
    for number, (topic, partitions) in enumerate(measurement.items(), start=1):
        if not isinstance(partitions, dict):
            raise InputError(
                f"{where}, topic {number}: must map partitions to rates "
                f"(got {shown(partitions)}), as in {FORM}"
            )
        places += names.of(f"{where}, topic {number}", topic, partitions)
        speeds += _speeds(where, topic, partitions)
    if len(set(places)) < len(places):
        raise InputError(f"{where}: two partitions have the same name topic/partition; rename one")
    return places, speeds


def _speeds(where: str, topic: str, partitions: dict[str, Any]) -> list[float]:
    speeds = list(partitions.values())
    if all(type(speed) is int and 0 <= speed < 2**53 for speed in speeds):
        return speeds
    return [
        _speed(f"{where}, topic {named(topic)}, partition {named(name)}", speed)
        for name, speed in partitions.items()
    ]


def _speed(where: str, value: object) -> float:
    if value is None:
        return math.nan
    speed = -1.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            speed = float(value)
        except OverflowError:
            speed = math.inf
    if not (math.isfinite(speed) and speed >= 0.0):
        raise InputError(f"{where}: {RATE} (got {shown(value)}); {ABSENT}")
    return speed
