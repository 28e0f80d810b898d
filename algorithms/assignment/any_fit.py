"""Next, first, best and worst fit, in shuffled order or largest partition first."""

from __future__ import annotations

import numpy as np

from algorithms.assignment import fit_rules, open_consumers, post_passes
from algorithms.core import shuffle, sorting
from algorithms.core.arrays import (
    Floats,
    Ints,
    check_capacity,
    check_count,
    check_rates,
    check_seed,
)
from algorithms.core.compiled import allocating


def assign(
    rates: Floats,
    capacity: float,
    seed: int,
    *,
    rule: int,
    decreasing: bool,
    matched: bool = False,
    polished: bool = False,
    indexed: bool | None = None,
) -> Ints:
    """Assign a stream by NF, FF, BF or WF, or by NFD, FFD, BFD or WFD.

    Each iteration starts without open consumers and places the present partitions one after the
    other. A partition goes to an open consumer that the rule finds for it. If it fits nowhere,
    a consumer is opened: the one that held it at the last iteration unless that is open
    already, else the lowest id that is not open.

    Parameters
    ----------
    rates : float64[N, P]
        Write speeds in bytes/s, NaN = absent.
    capacity : float
        Packing capacity C of a consumer, bytes/s.
    seed : int
        Seed of the stream; the shuffled order depends on it. Not used if `decreasing`.
    rule : int
        ``rules.NEXT``, ``rules.FIRST``, ``rules.BEST`` or ``rules.WORST``.
    decreasing : bool
        Whether partitions are taken largest first, ties by index, instead of in the order of
        `algorithms.core.shuffle.permutation`.
    matched, polished : bool, default False
        Whether each assignment is relabelled, and polished, before the next iteration; see
        `algorithms.assignment.post_passes`.
    indexed : bool, optional
        Whether consumers are found by an index instead of a scan, as is faster where there are
        many. By default P decides. The result is the same.

    Returns
    -------
    int32[N, P]
        Consumer ids in ``0 .. P-1``, -1 = absent. No consumer is above C, except one that holds
        a single partition that is faster than C.

    Raises
    ------
    InvalidParameterError
        If an argument is out of its bounds.

    Notes
    -----
    A partition fits if ``load + speed <= C``; loads are added up in the order of placement. At
    equal loads the lowest id is taken. O(N P log P) time and O(P) memory beside the result. For
    few partitions a scan over the B consumers in use takes the place of the index, which makes
    it O(N P (log P + B)); next fit looks at one consumer only. Opening rule: Landau, Saurabh,
    Andrade, Barbosa 2024 [1]_, Eq. 12-14.

    References
    ----------
    .. [1] D. Landau, N. Saurabh, X. Andrade, J. G. Barbosa, "Multi-Objective Optimization of
       Consumer Group Autoscaling in Message Broker Systems", 2024.

    Examples
    --------
    Largest first, 6 and 5 need a consumer each; best fit puts 4 to the 6. At the second
    iteration 9 stays where it was, and 4 opens the consumer that is left.

    >>> rates = np.array([[4.0, 6.0, 5.0], [4.0, 2.0, 9.0]])
    >>> assign(rates, 10.0, 0, rule=rules.BEST, decreasing=True).tolist()
    [[0, 0, 1], [0, 0, 1]]
    """
    rates = check_rates(rates)
    capacity = check_capacity(capacity)
    seed = check_seed(seed)
    rule = check_count("rule", rule, fit_rules.NEXT, fit_rules.WORST)
    index = open_consumers.make_index(rule, rates.shape[1], indexed)
    work = post_passes.make(rates.shape[1], capacity, matched, polished)
    consumers = np.empty(rates.shape, dtype=np.int32)
    # The shuffle's arithmetic is modulo 2**64; uncompiled, NumPy would warn of that.
    with np.errstate(over="ignore"):
        _assign(rates, capacity, seed, rule, bool(decreasing), index, work, consumers)
    return consumers


@allocating
def _assign(
    rates: Floats,
    capacity: float,
    seed: int,
    rule: int,
    decreasing: bool,
    index: Ints | None,
    work: post_passes.Passes | None,
    consumers: Ints,
) -> None:
    n_iterations, n_partitions = rates.shape
    loads, bits, marks = open_consumers.create(n_partitions, index)
    keys = np.empty(n_partitions)
    order, spare = np.empty(n_partitions, np.int64), np.empty(n_partitions, np.int64)
    before = np.full(n_partitions, open_consumers.NOWHERE, dtype=np.int32)
    for k in range(n_iterations):
        after = consumers[k]
        open_consumers.read_speeds(rates[k], keys, after)
        if decreasing:
            sorting.descending(keys, order, spare)
        else:
            shuffle.shuffle(order, seed, k)
        open_consumers.close_all(rule, loads, marks, index)
        open_consumers.place_all(
            rule, loads, bits, marks, index, keys, order, before, capacity, after
        )
        if work is not None:
            post_passes.finish(work, keys, before, after)
        before = after
