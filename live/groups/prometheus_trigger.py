"""Plays a Prometheus that scrapes a run's topic, and the formula that KEDA has of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from algorithms.autoscaling import count_thresholds
from live.groups.deployed_form import DeployedForm
from live.groups.keda_trigger import NoAnswer, Trigger
from live.groups.scraped_rates import ScrapedRates
from live.kafka import log_offsets
from live.kafka.admin_client import CALL_SECONDS
from live.live_settings import LiveSettings

_OLD = 10**9
"""End offset of a partition when the run begins: the counters are not young."""

_INSTANT_S = 1e-6


class EndOffsets:
    """Reads the end offsets of a run's topic, as an exporter does."""

    def __init__(self, settings: LiveSettings) -> None:
        self._client = log_offsets.reader(settings.bootstrap, settings.security.confluent)
        self._topic, self._partitions = settings.topic("data"), range(settings.partitions)

    def __call__(self) -> Mapping[int, int]:
        """End by partition, of those whose leader answers."""
        return log_offsets.ends(self._client, self._topic, self._partitions, CALL_SECONDS)

    def close(self) -> None:
        """Close the client."""
        self._client.close()


class PrometheusTrigger(Trigger):
    """Scrapes at a fixed rhythm, and compares the query's answer with a table of thresholds.

    Scrapes have the times for which they are planned. Those before the run are made up: the topic
    had the rates of the first iteration, as in the simulation.

    rates: Bytes/s by iteration and partition; the table has the mean shares.
    ends: Reads the end offsets.
    """

    kind = "prometheus"
    first_s = 0.0
    is_ready = True

    def __init__(
        self, form: DeployedForm, rates: Sequence[Sequence[float]], ends: EndOffsets
    ) -> None:
        group, own = form.group, form.settings
        events = group.events(np.array(rates, np.float64))
        self._table = count_thresholds.thresholds(
            events.mean(axis=0), own.assignor, own.mu, form.argument("h"), own.max_replicas
        )
        self._scrape_s: float = form.argument("scrape_s")
        self._phase: float = form.argument("scrape_phase")
        window_s = form.argument("window_s")
        self._rates = ScrapedRates(
            group.partitions, window_s, form.argument("hold"), self._scrape_s
        )
        self._read, self._time_s = ends, 0.0
        self._number = self._at(0.0) + 1
        for number in range(self._number - math.ceil(window_s / self._scrape_s) - 1, self._number):
            time_s = self._planned_s(number)
            past = {p: _OLD + rate * time_s for p, rate in enumerate(events[0].tolist())}
            self._rates.scrape(time_s, past)

    def follow(self, time_s: float) -> None:
        """Scrape if it is due; what the run was too late for is missed."""
        self._time_s = time_s
        number = self._at(time_s)
        if number >= self._number:
            self._number = number + 1
            found = {partition: _OLD + end for partition, end in self._read().items()}
            self._rates.scrape(self._planned_s(number), found)

    def ask(self) -> int:
        """The formula's count. Raises NoAnswer if the query has no result."""
        rate = self._rates.greatest(self._time_s)
        if rate is None:
            raise NoAnswer("the query has no result")
        return 1 + int(np.count_nonzero(round(rate, 6) > self._table))

    def close(self) -> None:
        """Close the client."""
        self._read.close()

    def _at(self, time_s: float) -> int:
        """Number of the last scrape that is planned up to a time."""
        return math.floor((time_s + _INSTANT_S) / self._scrape_s - self._phase)

    def _planned_s(self, number: int) -> float:
        return (number + self._phase) * self._scrape_s
