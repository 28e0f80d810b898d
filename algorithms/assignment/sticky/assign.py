"""Sticky repair, ``SR_g``: keep the last assignment, mend it, and pay for consumers."""

from __future__ import annotations

import math

import numpy as np

from algorithms.assignment import open_consumers
from algorithms.assignment.sticky import (
    ledger,
    repair_iteration,
    risk,
    volatility,
    workspace,
)
from algorithms.assignment.sticky.ledger import NOWHERE, PENDING
from algorithms.assignment.sticky.state import State
from algorithms.assignment.sticky.workspace import Room
from algorithms.core import sorting
from algorithms.core.arrays import Floats, Ints, check_capacity, check_rates, check_seed
from algorithms.core.compiled import allocating
from algorithms.core.input_errors import InvalidParameterError

_HORIZON = 0.75
_SPREADS = 2.4
# Against this price in units of C, no migration and no risk counts.
_INFINITE = 1e6


def assign(rates: Floats, capacity: float, seed: int, *, price: float) -> Ints:
    """Assign a stream by SR_g.

    Each iteration keeps the last assignment and ends the overloads: a consumer gives away the
    members of the least total speed. They are placed, largest first, where migrated bytes, risk
    and the price of a new consumer together are least, by a chain of moves if need be. Then
    consumers are closed, lightest first, and migrated partitions sent home, where that lowers
    the same sum. For prices from `mend.REPACKED_FROM` on, packing parts anew is tried as well.

    Parameters
    ----------
    rates : float64[N, P]
        Write speeds in bytes/s, NaN = absent.
    capacity : float
        Packing capacity C of a consumer, bytes/s.
    seed : int
        Seed of the stream. Checked but not used: nothing here is random.
    price : float
        Price g of a consumer in Rscore units per iteration, at least 0. At infinity the fewest
        consumers come first, and never more than BFD or FFD has.

    Returns
    -------
    int32[N, P]
        Consumer ids in ``0 .. P-1``, -1 = absent. No consumer is above C but for rounding,
        except one that holds a single partition that is faster than C.

    Raises
    ------
    InvalidParameterError
        If an argument is out of its bounds.

    Notes
    -----
    See ``docs/frontier.md``. Near O(N P log P) time for streams that do not put hundreds of
    partitions into each consumer, O(P) memory beside the result. Equal speeds are taken by
    partition index, equally full consumers by the lowest id, equally good places in the order
    home, best fit with growing reserve, new consumer, chain of moves.

    Examples
    --------
    Consumer 0 overflows and gives away 4, which is less than 7; there is room with consumer 1.

    >>> rates = np.array([[5.0, 4.0, 6.0], [7.0, 4.0, 6.0]])
    >>> assign(rates, 10.0, 0, price=1.0).tolist()
    [[1, 0, 0], [1, 0, 0]]
    """
    rates = check_rates(rates)
    capacity = check_capacity(capacity)
    check_seed(seed)
    g = float(price)
    if math.isnan(g) or g < 0.0:
        raise InvalidParameterError(
            f"price is {price}: must be at least 0, or infinite; choose what a consumer may cost"
        )
    terms = np.zeros(risk.TERMS)
    terms[risk.HORIZON] = _HORIZON
    terms[risk.PRICE] = min(g, _INFINITE) * capacity
    terms[risk.FIRST_COUNT] = float(g == math.inf)
    consumers = np.empty(rates.shape, dtype=np.int32)
    n = rates.shape[1]
    state = ledger.create(n, capacity, terms)
    _assign(rates, state, workspace.make(n), g >= repair_iteration.REPACKED_FROM, consumers)
    return consumers


@allocating
def _assign(rates: Floats, state: State, work: Room, repacked: bool, consumers: Ints) -> None:
    n = rates.shape[1]
    home, previous = state.home, np.full(n, sorting.ABSENT)
    change = volatility.UNKNOWN
    for k in range(rates.shape[0]):
        after = consumers[k]
        open_consumers.read_speeds(rates[k], state.speeds, after)
        sorting.descending(state.speeds, state.order, work.spare)
        change = volatility.update(state.speeds, previous, change)
        state.terms[risk.SPREAD] = max(change, 0.0) * _SPREADS
        for j in range(n):
            if after[j] == PENDING and home[j] != NOWHERE:
                after[j] = home[j]
        repair_iteration.mend(state, work, after)
        if repacked:
            repair_iteration.choose(state, work, after)
        repair_iteration.finish(state, work, after)
        home[:] = after
        previous[:] = state.speeds
