"""Sticky repair, ``SR_g``: keep the last assignment, repair it, and pay a price per consumer."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.assignment import open_consumers
from algorithms.assignment.stepping import makes_steps
from algorithms.assignment.sticky import (
    ledger,
    repair_iteration,
    risk,
    volatility,
    workspace,
)
from algorithms.assignment.sticky.ledger import NOWHERE, PENDING
from algorithms.assignment.sticky.state import State
from algorithms.assignment.sticky.workspace import SPARE, Room
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Ints
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError

_HORIZON = 0.75
_SPREADS = 2.4
# At this price in units of C, migrations and risk are negligible.
_INFINITE = 1e6


class Sticky(NamedTuple):
    """State of sticky repair over P partitions."""

    before: Ints
    """int32[P]: consumers after the last step, -1 = absent: the array ``ledger.home``."""
    ledger: State
    """Current and previous assignment."""
    room: Room
    """Work arrays."""
    previous: Floats
    """float64[P]: speeds at the last step, `sorting.ABSENT` where absent."""
    change: Floats
    """float64[1]: estimated change of a speed per step; see `volatility`."""
    repacked: bool
    """Whether repacks are tried."""


def start(partitions: int, capacity: float, seed: int, *, price: float) -> Sticky:
    """Start SR_g.

    Each step keeps the last assignment and ends overloads: an overloaded consumer evicts the
    members with the least total speed. They are placed, largest first, where the sum of migrated
    bytes, risk and the price of a new consumer is lowest, by a chain of moves if necessary. Then
    consumers are closed, lightest first, and migrated partitions return home, where that lowers the
    same sum. From a price of `repair_iteration.REPACKED_FROM` on, parts are repacked where that is
    better.

    capacity: Packing capacity C of a consumer, bytes/s.
    seed: Not used: nothing here is random.
    price: Price g of a consumer in Rscore units per iteration, at least 0. At infinity the number
        of consumers is minimised first, and never exceeds that of BFD or FFD.

    See ``docs/frontier.md``. A step takes nearly O(P log P) time for streams that do not put
    hundreds of partitions into each consumer, and a state O(P) memory. Except for rounding, no
    consumer exceeds C unless it holds a single partition that is faster than C. Ties in speed go by
    partition index, ties in load to the lowest id. Equally good places are taken in the order home,
    best fit with growing reserve, new consumer, chain of moves.

    Consumer 1 has room for the rise from 5 to 7 and consumer 0 is exactly full, so nothing moves.

    >>> rates = np.array([[5.0, 4.0, 6.0], [7.0, 4.0, 6.0]])
    >>> from algorithms.assignment import registry
    >>> registry.get("SR_1").assign(rates, 10.0, 0).tolist()
    [[1, 0, 0], [1, 0, 0]]
    """
    g = float(price)
    if math.isnan(g) or g < 0.0:
        raise InvalidParameterError(f"price must be at least 0 or infinite (got {price})")
    terms = np.zeros(risk.TERMS)
    terms[risk.HORIZON] = _HORIZON
    terms[risk.PRICE] = min(g, _INFINITE) * capacity
    terms[risk.FIRST_COUNT] = float(g == math.inf)
    state = ledger.create(partitions, capacity, terms)
    return Sticky(
        before=state.home,
        ledger=state,
        room=workspace.make(partitions),
        previous=np.full(partitions, sorting.ABSENT),
        change=np.array([volatility.UNKNOWN]),
        repacked=g >= repair_iteration.REPACKED_FROM,
    )


@makes_steps(Sticky)
@kernel
def _step(sticky: Sticky, rates: Floats, after: Ints) -> None:
    state, room, home = sticky.ledger, sticky.room, sticky.before
    open_consumers.read_speeds(rates, state.speeds, after)
    sorting.descending(state.speeds, state.order, room.orders[SPARE])
    change = volatility.update(state.speeds, sticky.previous, sticky.change[0])
    sticky.change[0] = change
    state.terms[risk.SPREAD] = max(change, 0.0) * _SPREADS
    for j in range(rates.shape[0]):
        if after[j] == PENDING and home[j] != NOWHERE:
            after[j] = home[j]
        sticky.previous[j] = state.speeds[j]
    repair_iteration.mend(state, room, after)
    if sticky.repacked:
        repair_iteration.choose(state, room, after)
    repair_iteration.finish(state, room, after)
