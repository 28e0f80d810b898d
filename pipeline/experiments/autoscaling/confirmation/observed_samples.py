"""What was observed of a group: replicas and late events, from CSV or Prometheus' answer."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.base.errors import InputError
from pipeline.base.text import quoting
from pipeline.inputs.traces import files
from pipeline.inputs.traces.moments import Clock
from pipeline.inputs.traces.recorded_group import RecordedGroup

MOST_BYTES = 256_000_000
_TIMES = ("time", "timestamp")
_LEAST_HOLD_S, _HELD_STEPS = 300.0, 3.0
"""A sample counts until the next one, but no longer than 5 min or three usual steps."""


class Kind(NamedTuple):
    """What samples are of."""

    column: str
    """Name in a CSV file."""
    most: float
    """Greatest value in a CSV file; the least is 0."""
    query: str
    """What to ask of Prometheus."""
    scale: float
    """Factor from Prometheus' values to those of a CSV file."""


REPLICAS = Kind("replicas", 10_000, "kube_deployment_status_replicas of the Deployment", 1.0)
LATE = Kind("late_percent", 100, "the share of late events, from 0 to 1", 100.0)


class Samples(NamedTuple):
    """Samples of a value."""

    times: Floats
    """s since 1970, ascending."""
    values: Floats

    def at(self, start: float, steps: int, step_s: float) -> Floats:
        """``[N]``: values as each step begins; NaN where no sample says."""
        asked = start + np.arange(steps) * step_s
        places = np.searchsorted(self.times, asked + 1e-6 * step_s, side="right") - 1
        usual = float(np.median(np.diff(self.times))) if len(self.times) > 1 else 0.0
        hold_s = max(_LEAST_HOLD_S, _HELD_STEPS * usual)
        known = (places >= 0) & (asked - self.times[places] < hold_s)
        return np.where(known, self.values[places], np.nan)


def members(group: RecordedGroup) -> Samples:
    """Members of the snapshots of a group."""
    counts = [group.members_at(at) for at in range(len(group.times))]
    return Samples(np.asarray(group.times, np.float64), np.asarray(counts, np.float64))


def read(path: Path, kind: Kind, timestamps: str | None = None) -> Samples:
    """Read a CSV file with a column of times, or an answer of Prometheus (JSON).

    Raises InputError with file, line and field if it is neither.
    """
    text = files.read_text(path, MOST_BYTES)
    is_json = text.lstrip().startswith(("{", "["))
    samples = _of_prometheus(path, text, kind) if is_json else _of_csv(path, text, kind, timestamps)
    by_time = dict(samples)
    if not by_time:
        raise InputError(f"{path}: `{kind.column}` must have samples (got none)")
    times = np.array(sorted(by_time))
    return Samples(times, np.array([by_time[time] for time in times.tolist()]))


def _of_csv(path: Path, text: str, kind: Kind, timestamps: str | None) -> list[tuple[float, float]]:
    rows = csv.reader(text.splitlines())
    head = [cell.strip().lower() for cell in next(rows, [])]
    time = next((head.index(name) for name in _TIMES if name in head), None)
    if time is None or kind.column not in head:
        raise InputError(
            f"{path}:1: must have the columns time and {kind.column} (got "
            f"{quoting.shown(','.join(head))})"
        )
    place, clock = head.index(kind.column), Clock(timestamps)
    samples = []
    for line, row in enumerate(rows, start=2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(head):
            raise InputError(f"{path}:{line}: must have {len(head)} cells (got {len(row)})")
        if not row[place].strip():
            continue
        try:
            at = clock.seconds(row[time].strip())
        except ValueError as error:
            raise InputError(
                f"{path}:{line}: `{head[time]}` {error} (got {quoting.shown(row[time])})"
            ) from error
        samples.append((at, _number(f"{path}:{line}", row[place].strip(), kind)))
    return samples


def _of_prometheus(path: Path, text: str, kind: Kind) -> list[tuple[float, float]]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise InputError(f"{path}: must be JSON ({error}); if it was cut short, query again") from (
            error
        )
    data = document.get("data", document) if isinstance(document, dict) else None
    series = data.get("result") if isinstance(data, dict) else None
    if not isinstance(series, list) or not all(isinstance(one, dict) for one in series):
        raise InputError(
            f"{path}: must be Prometheus' answer to query_range, with `data.result`; query "
            f"{kind.query}"
        )
    named = sorted({_name(one) for one in series})
    if len(named) > 1:
        raise InputError(
            f"{path}: must have one Deployment (got {len(named)}: {', '.join(named[:3])}); query "
            "one of them"
        )
    found: dict[float, float] = {}
    for one in series:
        for sample in one.get("values") or []:
            if not isinstance(sample, list) or len(sample) != 2:
                raise InputError(f"{path}: `values` must be pairs of time and number")
            if str(sample[1]) == "NaN":  # of nothing, such as late ones where no events came
                continue
            number = _number(str(path), str(sample[1]), kind, kind.scale)
            at = float(sample[0])
            found[at] = max(found.get(at, 0.0), number)
    return list(found.items())


def _name(series: dict[str, Any]) -> str:
    labels = series.get("metric") or {}
    kinds = ("deployment", "statefulset", "replicaset", "consumergroup", "group")
    owner = next((str(labels[kind]) for kind in kinds if kind in labels), "")
    return "/".join(part for part in (str(labels.get("namespace", "")), owner) if part)


def _number(where: str, text: str, kind: Kind, scale: float = 1.0) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0.0 <= number <= kind.most / scale:
        raise InputError(
            f"{where}: `{kind.column}` must be a number from 0 to {kind.most / scale:,g} (got "
            f"{quoting.shown(text)})"
        )
    return number * scale
