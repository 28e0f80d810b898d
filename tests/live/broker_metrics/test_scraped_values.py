"""Metrics from scrapes whose values are made up, so that each one is known."""

from __future__ import annotations

import math

import pytest

from live.broker_metrics import scraped_values
from live.broker_metrics.declared_metrics import NAMES, READS
from live.broker_metrics.scraped_values import BrokerValues, Scrape

pytestmark = pytest.mark.unit

SECOND = 10**9


def values(at_s: float, **changed: float) -> BrokerValues:
    """A broker's values, 0 unless the end of the pattern and the attribute are named."""
    row = []
    for pattern, attribute in READS:
        bean = ",".join(part.split("=")[-1] for part in pattern.split(",")[-2:])
        key = f"{bean}.{attribute}"
        row.append(next((v for name, v in changed.items() if name == key), 0.0))
    return BrokerValues(round(at_s * SECOND), tuple(row))


def scrape(**brokers: BrokerValues) -> Scrape:
    return Scrape({int(name[1:]): each for name, each in brokers.items()}, {})


TOTAL = "TotalTimeMs,Produce"
CPU = "OperatingSystem.ProcessCpuTime"
IN = "BrokerTopicMetrics,BytesInPerSec.Count"
COPIED = "BrokerTopicMetrics,ReplicationBytesInPerSec.Count"
WAITING = "PurgatorySize,Fetch.Value"


def test_rates_are_increases_per_second_and_broker():
    before = scrape(b2=values(0), b3=values(0))
    after = scrape(
        b2=values(5, **{IN: 500.0, COPIED: 1000.0, CPU: 1e9}), b3=values(5, **{CPU: 2e9})
    )
    gap = scraped_values.between(before, after, consumed=4000)
    assert gap["bytes_in"] == pytest.approx(150.0)
    assert gap["cpu"] == pytest.approx(0.3)
    assert gap["messages_out"] == pytest.approx(400.0)
    assert gap["brokers"] == 2.0


def test_means_weigh_brokers_by_their_requests():
    before = scrape(
        b2=values(0, **{f"{TOTAL}.Mean*Count": 1000.0, f"{TOTAL}.Count": 100.0}), b3=values(0)
    )
    after = scrape(
        b2=values(5, **{f"{TOTAL}.Mean*Count": 1090.0, f"{TOTAL}.Count": 109.0}),
        b3=values(5, **{f"{TOTAL}.Mean*Count": 30.0, f"{TOTAL}.Count": 1.0}),
    )
    gap = scraped_values.between(before, after, consumed=0)
    assert gap["produce_total_ms"] == pytest.approx(12.0)
    assert math.isnan(gap["fetch_consumer_total_ms"])


def test_levels_are_those_of_the_later_scrape():
    before = scrape(b2=values(0, **{WAITING: 100.0}), b3=values(0))
    after = scrape(b2=values(5, **{WAITING: 2.0}), b3=values(5, **{WAITING: 4.0}))
    assert scraped_values.between(before, after, 0)["purgatory"] == pytest.approx(3.0)


def test_brokers_that_joined_or_began_again_do_not_count():
    before = scrape(b2=values(0), b3=values(0, **{IN: 900.0}))
    after = scrape(b2=values(5, **{IN: 50.0}), b3=values(5, **{IN: 100.0}), b4=values(5))
    gap = scraped_values.between(before, after, 0)
    assert (gap["brokers"], gap["bytes_in"]) == (1.0, pytest.approx(10.0))


def test_without_brokers_there_is_only_their_number():
    gap = scraped_values.between(scrape(b2=values(0)), scrape(b3=values(5)), 7)
    assert gap["brokers"] == 0.0
    assert all(math.isnan(value) for name, value in gap.items() if name != "brokers")


def test_an_interval_has_means_and_the_nearest_rank():
    zero = scraped_values.between(scrape(b2=values(0)), scrape(b2=values(5)), 0)
    gaps = [{**zero, "cpu": value} for value in (0.1, 0.3, 0.2, math.nan)]
    metrics = dict(zip(NAMES, scraped_values.interval_metrics(gaps), strict=True))
    assert metrics["cpu_mean"] == pytest.approx(0.2)
    assert metrics["cpu_p95"] == 0.3
    assert math.isnan(metrics["produce_local_ms"])


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (19, 19), (20, 19), (40, 38)])
def test_nearest_rank(count: int, expected: int):
    assert scraped_values.nearest_rank([float(n) for n in range(1, count + 1)]) == expected


def test_latency_three_ways():
    gap = {"produce_total_ms": 5.0, "fetch_consumer_total_ms": 40.0, "fetch_consumer_remote_ms": 38}
    assert scraped_values.latencies(gap, 9.0) == (9.0, 5.0, 45.0, 7.0)
