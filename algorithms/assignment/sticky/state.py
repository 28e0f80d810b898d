"""Working state of kernels that move partitions one by one: the arrays of one stream, as one value.

Row numbers of `links` are in `algorithms.assignment.sticky.free_capacity`, places of `marks` in
`algorithms.assignment.sticky.ledger`, and places of `terms` in `algorithms.assignment.sticky.risk`:
each with the code that defines their meaning.
"""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import Floats, Ints, Longs


class State(NamedTuple):
    """P partitions and P possible consumers: current and previous assignment."""

    speeds: Floats
    """float64[P]: write speeds in bytes/s, `sorting.ABSENT` for absent partitions."""
    home: Ints
    """int32[P]: consumers in the previous iteration, `ledger.NOWHERE` for partitions absent
    then."""
    order: Longs
    """int64[P]: partitions, largest first, ties by index."""
    links: Ints
    """int32[free_capacity.ROWS, W]: members of each consumer, and consumers of each bucket. W is P,
    at least 64."""
    loads: Floats
    """float64[P]: bytes/s of each consumer, 0 for empty ones."""
    bits: Longs
    """int64[...]: which buckets hold a consumer."""
    marks: Longs
    """int64[ledger.MARKS]: how many consumers are open; an id below which none is closed; length of
    the journal."""
    journal: Ints
    """int32[2, 4 P + 16]: moves that can be undone: partition, and its consumer before."""
    terms: Floats
    """float64[risk.TERMS]: parameters of risk, and the price of a consumer."""
    capacity: float
    """Packing capacity C of a consumer, bytes/s."""
