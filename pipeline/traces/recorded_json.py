"""JSON of the paper's authors: a list of measurements ``{topic: {partition: rate}}``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.errors import InputError
from pipeline.limits import MAX_JSON_BYTES
from pipeline.text.quoting import named, shown
from pipeline.traces import files
from pipeline.traces.model import ABSENT, RATE, Trace, check_name, check_size, make

FORM = 'a list of measurements such as {"topic": {"0": 12.5, "1": 3}}'
SEE = "see docs/traces.md"


def read(path: Path) -> Trace:
    """Read the authors' JSON; partitions are named ``topic/partition``.

    Raises
    ------
    InputError
        If the text is not JSON (names the line) or has another form (names the measurement).
    """
    measurements = _parsed(path, files.read_text(path, MAX_JSON_BYTES))
    if not isinstance(measurements, list):
        raise InputError(
            f"{path}: unsupported JSON layout: expected {FORM} (got {shown(measurements)}); {SEE}"
        )
    if not measurements:
        raise InputError(f"{path}: must be {FORM} (got no measurements)")
    names = _Names()
    rows = [
        _row(f"{path}: measurement {number}", measurement, names)
        for number, measurement in enumerate(measurements, start=1)
    ]
    if not names.places:
        raise InputError(f"{path}: must be {FORM} (got no partitions)")
    check_size(path, len(rows), len(names.places))
    rates = np.full((len(rows), len(names.places)), np.nan)
    for rate_row, (places, speeds) in zip(rates, rows, strict=True):
        rate_row[places] = speeds
    return make(path, list(names.places), rates, "JSON of measurements")


def _parsed(path: Path, text: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not valid JSON ({error.msg})") from None
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply: must be {FORM}; {SEE}") from error
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


def _no_constant(text: str) -> object:
    raise ValueError(f"{RATE} (got {text}, which is not a JSON number)")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"duplicate key in one object: {shown(repeated)}")
    return found


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
    found = -1.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
    if not (math.isfinite(found) and found >= 0.0):
        raise InputError(f"{where}: {RATE} (got {shown(value)}); {ABSENT}")
    return found
