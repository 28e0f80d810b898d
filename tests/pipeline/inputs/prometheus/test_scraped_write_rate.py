"""The rate that KEDA asks for, where exporters and brokers fail while Prometheus scrapes."""

from __future__ import annotations

import math
import time
import urllib.parse
from collections.abc import Iterator

import numpy as np
import pytest

from algorithms.core.arrays import Floats
from pipeline.inputs.prometheus import write_rate
from tests.pipeline.inputs.prometheus import real_prometheus

PROGRAM = real_prometheus.find()

pytestmark = [
    pytest.mark.prometheus,
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="Prometheus is not installed"),
]

RATES = (300.0, 120.0, 60.0)
WINDOW_S = 8.0
FAULT_S = (14.0, 18.0)
"""Begin and end of all faults, s."""

END_S = 34.0
STEP_S = 0.25
NEAR = 0.1
"""On a busy machine, a page is late against the time of its scrape."""

TOPICS = ("steady", "twice", "dead", "truncated", "recreated", "moved", "gap")


class Clock:
    """Time since the begin, which is set once Prometheus scrapes; before, no fault begins."""

    def __init__(self) -> None:
        self.made, self.begin = time.time(), math.inf

    @property
    def now(self) -> float:
        return time.time() - self.begin

    @property
    def age(self) -> float:
        return time.time() - self.made


def offsets(topic: str, clock: Clock) -> list[int | None]:
    """End offset of each partition; None for one that the exporter leaves out."""
    now, age = clock.now, clock.age
    is_over, is_on = now >= FAULT_S[1], FAULT_S[0] <= now < FAULT_S[1]
    plain: list[int | None] = [int(100_000 + rate * age) for rate in RATES]
    if topic == "dead" and is_on:
        return [None, *plain[1:]]
    if topic == "truncated" and now >= FAULT_S[0]:
        return [int(90_000 + RATES[0] * age), *plain[1:]]
    if topic == "recreated" and now >= FAULT_S[0]:
        return [int(rate * (now - FAULT_S[1])) if is_over else None for rate in RATES]
    return plain


def page(topics: dict[str, bool], clock: Clock) -> str:
    """What an exporter tells of the topics that it knows now."""
    lines = [
        f'kafka_topic_partition_current_offset{{topic="{topic}",partition="{number}"}} {end}'
        for topic, is_known in topics.items()
        if is_known
        for number, end in enumerate(offsets(topic, clock))
        if end is not None
    ]
    return "\n".join(lines) + "\n"


def pages(clock: Clock) -> list[real_prometheus.Page]:
    """Three exporters: one of most topics, one that begins later, one that fails in between."""
    alone = dict.fromkeys(("steady", "dead", "truncated", "recreated"), True)

    def first() -> str:
        return page({**alone, "twice": True, "moved": clock.now < FAULT_S[0]}, clock)

    def second() -> str:
        return page({"twice": True, "moved": clock.now >= FAULT_S[0]}, clock)

    def third() -> str | None:
        is_away = FAULT_S[0] <= clock.now < FAULT_S[1]
        return None if is_away else page({"gap": True}, clock)

    return [first, second, third]


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, float]]:
    """Address of a Prometheus that has seen all faults, and when they began to be told."""
    assert PROGRAM is not None
    clock, folder = Clock(), tmp_path_factory.mktemp("prometheus")
    one, two, three = pages(clock)
    with (
        real_prometheus.serving(one) as first,
        real_prometheus.serving(two) as second,
        real_prometheus.serving(three) as third,
        real_prometheus.prometheus(PROGRAM, folder, first, second, third) as url,
    ):
        for topic in ("steady", "twice", "gap"):
            metric = f'kafka_topic_partition_current_offset{{topic="{topic}"}}'
            real_prometheus.wait_for_a_sample(url, urllib.parse.quote(metric))
        clock.begin = time.time()
        time.sleep(END_S)
        yield url, clock.begin


def rates(scraped: tuple[str, float], query: str) -> Floats:
    """Value of a query at each `STEP_S`; NaN for no result."""
    url, begin = scraped
    asked = urllib.parse.urlencode(
        {"query": query, "start": begin, "end": begin + END_S, "step": STEP_S}
    )
    result = real_prometheus.answer(f"{url}/api/v1/query_range?{asked}")
    values = np.full(round(END_S / STEP_S) + 1, np.nan)
    for one in result:
        for at, value in one["values"]:
            values[round((at - begin) / STEP_S)] = float(value)
    return values


def between(values: Floats, first_s: float, last_s: float) -> Floats:
    return values[round(first_s / STEP_S) : round(last_s / STEP_S)]


@pytest.mark.parametrize("hold_s", [0.0, 3.0])
@pytest.mark.parametrize("topic", TOPICS)
def test_the_rate_is_right_or_absent(topic: str, hold_s: float, scraped: tuple[str, float]) -> None:
    now = write_rate.rate(topic, len(RATES), "kafka_exporter", WINDOW_S, 1.0)
    values = between(rates(scraped, write_rate.greatest(now, hold_s, 1.0)), WINDOW_S + 2, END_S)
    there = values[~np.isnan(values)]
    np.testing.assert_allclose(there, sum(RATES), rtol=NEAR)
    is_there = ~np.isnan(np.concatenate([np.full(round((WINDOW_S + 2) / STEP_S), np.nan), values]))
    # A scrape that is late on a busy machine leaves a moment without a result.
    assert between(is_there, WINDOW_S + 2, FAULT_S[0]).mean() > 0.5
    assert between(is_there, FAULT_S[1] + WINDOW_S + 4, END_S).mean() > 0.5
    during = between(is_there, FAULT_S[0] + 2.5, FAULT_S[1] - 0.5)
    assert during.mean() > 0.5 if topic in ("steady", "twice") else not during.any()


def test_a_plain_rate_shows_the_faults(scraped: tuple[str, float]) -> None:
    for topic in set(TOPICS) - {"steady", "twice"}:
        ends = f'kafka_topic_partition_current_offset{{topic="{topic}"}}'
        values = rates(scraped, f"sum(max by (partition) (rate({ends}[{WINDOW_S:g}s])))")
        wrong = np.abs(between(values, WINDOW_S + 2, END_S) / sum(RATES) - 1.0)
        assert np.nanmax(wrong) > 2.0 * NEAR, topic
