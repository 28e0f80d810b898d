"""Rates from scrapes, beside numbers that Prometheus' documentation of ``rate`` leads to."""

from __future__ import annotations

import pytest

from live.groups.scraped_rates import ScrapedRates

pytestmark = pytest.mark.unit

SCRAPE_S, WINDOW_S = 30.0, 120.0


def scraped(hold_s: float, *totals: tuple[float, int]) -> ScrapedRates:
    """Two partitions, of which the second has twice the records of the first."""
    rates = ScrapedRates(2, WINDOW_S, hold_s, SCRAPE_S)
    for time_s, end in totals:
        rates.scrape(time_s, {0: end, 1: 2 * end})
    return rates


def test_a_constant_rate_is_found_at_any_time_between_scrapes() -> None:
    rates = scraped(0.0, *((5.0 + 30.0 * k, 1000 + 300 * k) for k in range(7)))
    for time_s in (185.0, 190.5, 214.9):
        assert rates.total(time_s) == pytest.approx(30.0)


def test_a_window_that_begins_with_the_series_is_continued_by_half_an_interval() -> None:
    """Scrapes at 100 and 130 s, of a window from 10 s to 130 s: 300 records in 30 s, and as many
    per second in the 15 s before."""
    rates = scraped(0.0, (100.0, 9000), (130.0, 9300))
    assert rates.total(130.0) == pytest.approx(3 * 300 * 45.0 / 30.0 / WINDOW_S)
    # A series that began 6 s before its first sample is not continued further.
    young = scraped(0.0, (100.0, 60), (130.0, 360))
    assert young.total(130.0) == pytest.approx(3 * 300 * 36.0 / 30.0 / WINDOW_S)


def test_a_window_is_open_at_its_beginning() -> None:
    rates = scraped(0.0, (0.0, 0), (30.0, 9000), (60.0, 9000), (150.0, 9000))
    assert rates.total(120.0) == 0.0


def test_there_is_no_rate_with_a_partition_missing_or_reset() -> None:
    rates = scraped(0.0, (0.0, 0), (30.0, 300))
    assert rates.total(15.0) is None
    rates.scrape(60.0, {0: 600})
    rates.scrape(90.0, {0: 900})
    rates.scrape(120.0, {0: 1200})
    # The second partition has one sample in the window that ends at 149 s, and two before.
    assert rates.total(121.0) is None
    assert rates.total(119.0) is not None
    assert scraped(0.0, (0.0, 500), (30.0, 900), (60.0, 20)).total(60.0) is None


def test_the_greatest_rate_of_the_hold_is_that_at_whole_steps() -> None:
    """10 records/s, and twice as many between 240 and 360 s: full windows end at 360 s."""
    ends = [(30.0 * k, 300 * k + 300 * min(max(k - 8, 0), 4)) for k in range(30)]

    def at(time_s: float) -> tuple[float | None, float | None]:
        rates = scraped(150.0, *(each for each in ends if each[0] <= time_s))
        return rates.total(time_s), rates.greatest(time_s)

    assert at(240.0) == pytest.approx((30.0, 30.0))
    assert at(360.0) == pytest.approx((60.0, 60.0))
    # The step at 360 s is within 150 s, without its beginning, until 510 s.
    assert at(509.0) == pytest.approx((30.0, 60.0))
    total, greatest = at(510.0)
    assert total == pytest.approx(30.0)
    assert greatest is not None
    assert 45.0 < greatest < 60.0
    assert scraped(150.0, (0.0, 5)).greatest(60.0) is None
