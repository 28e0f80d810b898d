"""Rows of measured intervals: what is kept of each, and where."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from algorithms.learning.cluster_settings import BrokerSettings
from live.broker_metrics.scraped_values import Latencies

SHARED, CAPPED = "shared", "capped"
"""Brokers that share the machine's cores, and brokers with a quota of their own."""

UNIT_RATE = BrokerSettings.records_per_s
"""Records per second of a load of 1."""


class CurveRow(NamedTuple):
    """An interval of one cluster under one load."""

    curve: str
    brokers: int
    load: float
    repeat: int
    cores: float
    """Quota of a broker; 0: none."""
    machine_load: float
    """The machine's load average of a minute at the end."""
    read_share: float
    """Records read, over those that became due in the same time."""
    latencies: tuple[Latencies, ...]
    """Between scrapes."""
    metrics: tuple[float, ...]
    """The 37 of the interval."""

    @property
    def cluster(self) -> tuple[int, int]:
        """The cluster that was measured."""
        return self.repeat, self.brokers


def add(file: Path, row: CurveRow) -> None:
    """Append a row."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"{json.dumps(row._asdict())}\n")


def rows(file: Path) -> list[CurveRow]:
    """All rows that have been kept."""
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    return [_row(json.loads(line)) for line in lines]


def mean_of(row: CurveRow, way: str) -> float:
    """Mean over the row's times between scrapes of one of the `Latencies`, ms."""
    return _mean([getattr(each, way) for each in row.latencies])


def _row(content: Mapping[str, Any]) -> CurveRow:
    latencies = tuple(Latencies(*each) for each in content["latencies"])
    return CurveRow(**{**content, "latencies": latencies, "metrics": tuple(content["metrics"])})


def _mean(values: Sequence[float]) -> float:
    numbers = [value for value in values if not math.isnan(value)]
    return sum(numbers) / len(numbers) if numbers else math.nan
