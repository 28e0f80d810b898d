"""Working state of kernels that move partitions one by one: the arrays of one stream, as one value.

Row numbers of `links` are in `algorithms.assignment.sticky.free_capacity`, places of `marks` in
`algorithms.assignment.sticky.ledger`, and places of `terms` in `algorithms.assignment.sticky.risk`:
each with the code that defines their meaning.
"""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import Floats, Ints, Longs


class State(NamedTuple):
    """P partitions and P possible consumers: current and previous assignment.

    Attributes
    ----------
    speeds : float64[P]
        Write speeds in bytes/s, `sorting.ABSENT` for absent partitions.
    home : int32[P]
        Consumers in the previous iteration, `ledger.NOWHERE` for partitions absent then.
    order : int64[P]
        Partitions, largest first, ties by index.
    links : int32[free_capacity.ROWS, W]
        Members of each consumer, and consumers of each bucket. W is P, at least 64.
    loads : float64[P]
        Bytes/s of each consumer, 0 for empty ones.
    bits : int64[...]
        Which buckets hold a consumer.
    marks : int64[ledger.MARKS]
        How many consumers are open; an id below which none is closed; length of the journal.
    journal : int32[2, 4 P + 16]
        Moves that can be undone: partition, and its consumer before.
    terms : float64[risk.TERMS]
        Parameters of risk, and the price of a consumer.
    capacity : float
        Packing capacity C of a consumer, bytes/s.
    """

    speeds: Floats
    home: Ints
    order: Longs
    links: Ints
    loads: Floats
    bits: Longs
    marks: Longs
    journal: Ints
    terms: Floats
    capacity: float
