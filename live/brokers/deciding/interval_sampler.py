"""Scrapes brokers again and again in a thread, with what consumers had read at each scrape."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Protocol

from live.broker_metrics import scraped_values
from live.broker_metrics.scraped_values import Latencies, Scrape
from live.brokers import record_load
from live.brokers.record_load import ReadSoFar
from pipeline.base.errors import StageError


class Scrapes(Protocol):
    """Where scrapes come from."""

    def scrape(self) -> Scrape:
        """The next one; waits for it. Raises StageError if there is none any more."""


class Sample(NamedTuple):
    """A scrape, and what had been read by then."""

    scrape: Scrape
    read: ReadSoFar


class IntervalSampler(threading.Thread):
    """Samples until the scrapes end.

    file: What consumers have read; see `record_load.LoadSettings`.
    """

    def __init__(self, scrapes: Scrapes, file: Path) -> None:
        super().__init__(name="sampler", daemon=True)
        self._scrapes, self._file = scrapes, file
        self._samples: list[Sample] = []
        self._error = ""

    def run(self) -> None:
        """Sample; scrapes that no broker answered do not count."""
        try:
            while True:
                scrape = self._scrapes.scrape()
                if scrape.brokers:
                    at_ns = max(values.at_ns for values in scrape.brokers.values())
                    self._samples.append(Sample(scrape, record_load.read_at(self._file, at_ns)))
        except (StageError, OSError, ValueError) as error:
            self._error = str(error)

    @property
    def count(self) -> int:
        """Samples so far."""
        return len(self._samples)

    def check(self) -> None:
        """Raise StageError if there will be no more."""
        if self._error:
            raise StageError(f"brokers are no longer read: {self._error}")

    def since(self, place: int) -> list[Sample]:
        """Samples from the one at a place on."""
        return self._samples[place:]


def gaps(samples: Sequence[Sample]) -> list[tuple[Mapping[str, float], Latencies]]:
    """Values and latencies between each sample and the next."""
    found: list[tuple[Mapping[str, float], Latencies]] = []
    for before, after in pairwise(samples):
        records = after.read.records - before.read.records
        waited_ms = (after.read.latency_ns - before.read.latency_ns) * 1e-6
        values = scraped_values.between(before.scrape, after.scrape, records)
        end_to_end = waited_ms / records if records else math.nan
        found.append((values, scraped_values.latencies(values, end_to_end)))
    return found
