"""Seamless scaling against restarts: where theory says which one responds later."""

from __future__ import annotations

import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.application_graph import Function
from algorithms.simulation.prefetch_crossing import AFTER_S, LOAD, Crossed, cross

pytestmark = pytest.mark.unit

EVEN = Function(mu=2.0, cs=0.0)
"""Half a second per event, always."""


def responses(backlog: int, receiver_queue: int, startup_s: float = 0.5) -> Crossed:
    return cross(EVEN, backlog, receiver_queue, 2, startup_s, 1)


def test_what_was_fetched_waits_for_one_instance() -> None:
    """Eighty wait; the second instance gets later ones alone.

    The k-th of the eighty is done after k/2 s. Events that arrive later, at 2.4/s, take turns:
    those of the old instance, 1.2/s, are behind what is left. The others take half a second.
    """
    own = sum(0.5 * k for k in range(1, 81))
    arrivals = int(LOAD * 2 * EVEN.mu * AFTER_S)
    later = 0.0
    for i in range(0, arrivals, 2):
        # The i-th arrival is behind the eighty and half of those before it.
        arrives = (i + 0.5) / (LOAD * 2 * EVEN.mu)
        later += max((80 + i / 2 + 1) * 0.5 - arrives, 0.5) + 0.5
    expected = (own + later) / (80 + arrivals)
    assert responses(80, 1000).seamless == pytest.approx(expected, rel=0.02)


def test_a_restart_shares_what_waits_only_if_all_instances_are_there() -> None:
    one = responses(80, 1000)
    assert one.restart < one.seamless - 5.0
    assert one.staggered == pytest.approx(one.seamless + 0.5, abs=0.5)


@pytest.mark.parametrize("backlog", [1, 10, 80])
def test_with_one_event_fetched_ahead_a_restart_is_not_much_better(backlog: int) -> None:
    one = responses(backlog, 1)
    assert one.seamless <= one.restart + 0.1
    assert one.staggered == pytest.approx(one.restart, abs=0.1)


def test_a_backlog_of_a_turn_goes_to_one_instance_in_any_case() -> None:
    """Twenty at once, Pulsar's turn: a restart only adds its pause."""
    one = responses(20, 1000, startup_s=3.0)
    assert one.seamless < one.restart
    assert responses(80, 1000, startup_s=3.0).seamless > responses(80, 1000, startup_s=3.0).restart


def test_a_pause_that_is_too_long_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="startup_s"):
        responses(1, 1, startup_s=-1.0)
