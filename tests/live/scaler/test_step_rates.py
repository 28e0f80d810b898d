"""Rates from one look to the next."""

from __future__ import annotations

import pytest

from live.scaler.step_rates import StepRates
from tests.live.scaler.scaler_fakes import look

pytestmark = pytest.mark.unit


def test_two_looks_give_rates_lags_owners_and_what_was_consumed() -> None:
    rates = StepRates(5.0)
    assert rates.add(look(10.0, 100, 50, 0, committed=(90, 50, None))) is None
    step = rates.add(look(15.0, 150, 50, 10, committed=(100, 50, None)))
    assert step is not None
    assert (step.time_s, step.seconds) == (5.0, 5.0)
    assert step.rates.tolist() == [10.0, 0.0, 2.0]
    assert step.lags.tolist() == [50.0, 0.0, 10.0]
    assert step.owners.tolist() == [0, 1, 0]
    assert step.consumed.tolist() == [True, False, False]


def test_an_offset_that_jumps_back_begins_a_new_window() -> None:
    rates = StepRates(5.0)
    rates.add(look(0.0, 100, 100))
    rates.add(look(5.0, 150, 200))
    step = rates.add(look(10.0, 3, 300))
    assert step is not None
    assert step.rates.tolist() == [10.0, 20.0]
    after = rates.add(look(15.0, 13, 300))
    assert after is not None
    assert after.rates.tolist() == [2.0, 0.0]


def test_a_clock_that_stands_still_or_goes_back_gives_no_rate() -> None:
    rates = StepRates(5.0)
    rates.add(look(10.0, 100))
    assert rates.add(look(10.0, 200)) is None
    assert rates.add(look(3.0, 300)) is None
    step = rates.add(look(15.0, 150))
    assert step is not None
    assert step.rates.tolist() == [10.0]


def test_a_long_time_without_looks_is_no_step() -> None:
    rates = StepRates(5.0)
    rates.add(look(0.0, 0))
    assert rates.add(look(13.0, 6000)) is None
    step = rates.add(look(18.0, 6050))
    assert step is not None
    assert (step.time_s, step.rates.tolist()) == (18.0, [10.0])
    assert step.arrived.tolist() == [6050.0]


def test_what_has_arrived_is_counted_from_the_first_look() -> None:
    """Of an offset that goes back, the last rate; over a time without looks, at least nothing."""
    rates = StepRates(5.0)
    arrived = []
    for at_s, first, second in ((0, 100, 0), (5, 150, 10), (10, 3, 30), (40, 0, 90), (45, 5, 90)):
        step = rates.add(look(float(at_s), first, second))
        arrived += [] if step is None else [step.arrived.tolist()]
    assert arrived == [[50.0, 10.0], [100.0, 30.0], [105.0, 90.0]]


def test_further_partitions_begin_anew() -> None:
    rates = StepRates(5.0)
    rates.add(look(0.0, 0))
    assert rates.add(look(5.0, 50, 50)) is None
    step = rates.add(look(10.0, 100, 60))
    assert step is not None
    assert step.rates.tolist() == [10.0, 2.0]


def test_a_partition_that_moves_between_topics_begins_anew_too() -> None:
    """Recreated topics: as many partitions in all, and others behind each place."""
    rates = StepRates(5.0)
    rates.add(look(0.0, 0, 0, 0, sizes=(1, 2)))
    assert rates.add(look(5.0, 50, 50, 50, sizes=(2, 1))) is None
    step = rates.add(look(10.0, 100, 60, 50, sizes=(2, 1)))
    assert step is not None
    assert step.rates.tolist() == [10.0, 2.0, 0.0]


def test_a_recreated_topic_does_not_touch_the_rates_of_another() -> None:
    rates = StepRates(5.0)
    rates.add(look(0.0, 0, 0, sizes=(1, 1)))
    rates.add(look(5.0, 50, 100, sizes=(1, 1)))
    step = rates.add(look(10.0, 2, 250, sizes=(1, 1)))
    assert step is not None
    assert step.rates.tolist() == [10.0, 30.0]
