"""Rates from scrapes, as the query of a ScaledObject has them."""

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
    rates = scraped(0.0, *((5.0 + 30.0 * k, 300 * k) for k in range(7)))
    for time_s in (185.0, 190.5, 214.9):
        assert rates.total(time_s) == pytest.approx(30.0)


def test_a_window_is_open_at_its_beginning() -> None:
    """Of five scrapes from 0 to 120 s, four count: all is written in the first 30 s."""
    rates = scraped(0.0, (0.0, 0), *((30.0 * k, 9000) for k in range(1, 5)))
    assert rates.total(120.0) == 0.0
    assert rates.total(119.0) == pytest.approx(3 * 9000 / 90.0)


def test_there_is_no_rate_without_both_ends_of_the_window() -> None:
    rates = scraped(0.0, *((30.0 * k, 300 * k) for k in range(4)))
    assert rates.total(115.0) == pytest.approx(30.0)
    assert rates.total(60.0) is None
    rates.scrape(120.0, {0: 1200})
    # The second partition has no sample in the last 30 s.
    assert rates.total(120.0) is None
    assert rates.greatest(120.0) is None


def test_there_is_no_rate_while_a_window_has_a_reset() -> None:
    ends = [(30.0 * k, 5000 + 300 * k) for k in range(5)]
    ends += [(150.0 + 30.0 * k, 300 * k) for k in range(6)]
    rates = scraped(WINDOW_S, *ends)
    assert rates.total(149.0) == pytest.approx(30.0)
    # The last window with the fall between 120 and 150 s in it ends before 240 s.
    assert rates.total(150.0) is None
    assert rates.total(239.0) is None
    assert rates.total(240.0) == pytest.approx(30.0)


def test_the_greatest_rate_of_the_hold_is_that_at_whole_steps_or_now() -> None:
    """30 records/s, and twice as many between 240 and 360 s: full windows end at 360 s."""
    ends = [(30.0 * k, 300 * k + 300 * min(max(k - 8, 0), 4)) for k in range(30)]

    def at(time_s: float, hold_s: float = 150.0) -> tuple[float | None, float | None]:
        rates = scraped(hold_s, *(each for each in ends if each[0] <= time_s))
        return rates.total(time_s), rates.greatest(time_s)

    assert at(240.0) == pytest.approx((30.0, 30.0))
    assert at(360.0) == pytest.approx((60.0, 60.0))
    # The steps at 330 and 360 s are within 150 s, without its beginning, until 510 s.
    assert at(509.0) == pytest.approx((30.0, 60.0))
    assert at(510.0) == pytest.approx((30.0, 50.0))
    assert at(480.0, SCRAPE_S) == pytest.approx((30.0, 30.0))
