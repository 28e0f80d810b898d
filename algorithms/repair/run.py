"""Sticky repair, ``SR_g``: keep the last assignment, mend it, and pay for consumers."""

from __future__ import annotations

import numpy as np

from algorithms import bins, matching, ordering, packing, polish, rules, shelves
from algorithms.arrays import Floats, Ints, Longs, check_capacity, check_rates, check_seed
from algorithms.buckets import OWNER
from algorithms.compiled import kernel
from algorithms.packing import LOG, OPEN, PENDING
from algorithms.repair import close, evict, place, repack, risk
from algorithms.repair.risk import CAPACITY, HORIZON, PRICE, SPREAD

_HORIZON = 3.0
_WIDTH = 2.0
_MEMORY = 0.9
_INFINITE = 1e6
_REPACK_FROM = 1.0


def assign(rates: Floats, capacity: float, seed: int, *, price: float) -> Ints:
    """Assign a stream by SR_g."""
    rates = check_rates(rates)
    capacity = check_capacity(capacity)
    check_seed(seed)
    consumers = np.empty(rates.shape, dtype=np.int32)
    tune = np.array([_HORIZON, _WIDTH, _MEMORY, _REPACK_FROM])
    _assign(rates, capacity, float(price), tune, consumers)
    return consumers


@kernel
def _assign(rates: Floats, capacity: float, price: float, tune: Floats, consumers: Ints) -> None:
    n_iterations, n = rates.shape
    links, loads, bits, marks = packing.create(n)
    terms = np.zeros(risk.TERMS)
    journal = np.empty((2, 4 * n + 16), np.int32)
    members = np.empty(n, np.int32)
    ints, floats = matching.create(n)
    keys, previous = np.empty(n), np.full(n, ordering.ABSENT)
    order, spare = np.empty(n, np.int64), np.empty(n, np.int64)
    before = np.full(n, packing.NOWHERE, dtype=np.int32)
    base, trial = np.empty(n, np.int32), np.empty(n, np.int32)
    nobody = np.full(n, packing.NOWHERE, dtype=np.int32)
    index = shelves.create(n)
    b_loads, b_bits, b_marks = bins.create(n, index)
    change = -1.0
    terms[CAPACITY] = capacity
    terms[HORIZON] = tune[0]
    last = price == np.inf
    terms[PRICE] = _INFINITE * capacity if last else price * capacity * tune[0]
    for k in range(n_iterations):
        after = consumers[k]
        bins.read_speeds(rates[k], keys, after)
        ordering.sort_descending(keys, order, spare)
        change = _volatility(keys, previous, change, tune[2])
        terms[SPREAD] = max(change, 0.0) * 1.2 * tune[1]
        for j in range(n):
            if after[j] == PENDING and before[j] >= 0:
                after[j] = before[j]
        packing.build(keys, after, links, loads, bits, marks, capacity)
        evict.all_overloads(keys, links, loads, bits, marks, terms, members)
        for j in range(n):
            base[j] = links[OWNER, j]
        for j in order:
            if links[OWNER, j] == PENDING:
                marks[LOG] = 0
                place.place(keys, before, links, loads, bits, marks, terms, journal, j, True)
        close.lightest(keys, before, links, loads, bits, marks, terms, journal, members)
        polish.run(keys, before, links, loads, bits, marks, terms, order)
        for j in range(n):
            after[j] = links[OWNER, j]
        if price >= tune[3]:
            count = marks[OPEN]
            worth = _objective(keys, before, after, links, loads, marks, terms)
            fewest = 0
            if last:
                bins.close_all(rules.BEST, b_loads, b_marks, index)
                for j in range(n):
                    trial[j] = PENDING if keys[j] != ordering.ABSENT else packing.NOWHERE
                bins.place_all(
                    rules.BEST,
                    b_loads,
                    b_bits,
                    b_marks,
                    index,
                    keys,
                    order,
                    nobody,
                    capacity,
                    trial,
                )
                fewest = b_marks[0]
                if fewest < count:
                    count = _try(
                        keys, before, trial, links, loads, bits, marks, terms, order, ints, floats
                    )
                    worth = _objective(keys, before, trial, links, loads, marks, terms)
                    after[:] = trial
            emptied = 2
            while emptied < count + 2:
                for j in range(n):
                    trial[j] = base[j]
                packing.build(keys, trial, links, loads, bits, marks, capacity)
                repack.release(keys, links, loads, bits, marks, terms, emptied)
                repack.fill(keys, before, links, loads, bits, marks, terms, order)
                for j in range(n):
                    trial[j] = links[OWNER, j]
                _try(keys, before, trial, links, loads, bits, marks, terms, order, ints, floats)
                found = _objective(keys, before, trial, links, loads, marks, terms)
                if found < worth:
                    worth = found
                    after[:] = trial
                emptied *= 2
        matching.relabel(keys, before, after, ints, floats)
        before = after
        previous[:] = keys


@kernel
def _try(keys, before, trial, links, loads, bits, marks, terms, order, ints, floats):
    matching.relabel(keys, before, trial, ints, floats)
    packing.build(keys, trial, links, loads, bits, marks, terms[CAPACITY])
    polish.run(keys, before, links, loads, bits, marks, terms, order)
    for j in range(keys.shape[0]):
        trial[j] = links[OWNER, j]
    return marks[OPEN]


@kernel
def _objective(keys, before, after, links, loads, marks, terms):
    return (
        packing.moved_bytes(keys, before, after)
        + risk.total(keys, links, loads, terms)
        + terms[PRICE] * marks[OPEN]
    )


@kernel
def _volatility(keys: Floats, previous: Floats, known: float, memory: float) -> float:
    """Mean absolute change of a speed, averaged over the iterations; -1 while unknown."""
    total, count = 0.0, 0
    for j in range(keys.shape[0]):
        if keys[j] != ordering.ABSENT and previous[j] != ordering.ABSENT:
            total += abs(keys[j] - previous[j])
            count += 1
    if count == 0:
        return known
    if known < 0.0:
        return total / count
    return memory * known + (1.0 - memory) * total / count
