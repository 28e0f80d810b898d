"""Leases run only while signs of life can arrive and are read."""

from __future__ import annotations

import pytest

from live.protocol.lease_clock import LeaseClock

pytestmark = pytest.mark.unit


def test_age_grows_with_time() -> None:
    clock = LeaseClock(standstill_s=5.0, now=100.0)
    assert clock.age(sign=100.0, now=100.0) == 0.0
    assert clock.age(sign=101.0, now=104.0) == 3.0


def test_signs_before_the_clock_count_from_its_beginning() -> None:
    clock = LeaseClock(standstill_s=5.0, now=100.0)
    assert clock.age(sign=3.0, now=104.0) == 4.0


def test_age_is_0_while_the_broker_is_silent_and_begins_again_afterwards() -> None:
    clock = LeaseClock(standstill_s=5.0, now=100.0)
    clock.broker_silent(103.0)
    assert (clock.is_silent, clock.age(sign=100.0, now=120.0)) == (True, 0.0)
    clock.broker_answers(120.0)
    assert (clock.is_silent, clock.age(sign=100.0, now=122.0)) == (False, 2.0)
    assert clock.age(sign=121.0, now=122.0) == 1.0


def test_a_broker_that_was_never_silent_renews_nothing() -> None:
    clock = LeaseClock(standstill_s=5.0, now=100.0)
    clock.broker_answers(103.0)
    assert clock.age(sign=100.0, now=104.0) == 4.0


def test_age_begins_again_after_a_standstill_of_the_observer() -> None:
    clock = LeaseClock(standstill_s=5.0, now=100.0)
    clock.look(104.9)
    assert clock.age(sign=100.0, now=104.9) == pytest.approx(4.9)
    clock.look(110.0)
    assert clock.age(sign=100.0, now=110.0) == 0.0
    clock.look(114.0)
    assert clock.age(sign=100.0, now=114.0) == 4.0


def test_nothing_is_old_just_after_the_broker_was_slow() -> None:
    clock = LeaseClock(standstill_s=5.0, now=100.0)
    clock.broker_was_slow(104.0)
    assert clock.age(sign=100.0, now=104.1) == 0.0
    # Unlike a silence, this does not begin anything again.
    clock.look(106.5)
    assert clock.age(sign=100.0, now=106.5) == 6.5
