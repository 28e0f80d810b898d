"""Pinned assignments of algorithms with passes or with a price.

`EXPECTED` is on the small stream of `goldens`, where each can be followed on paper: with `+M`,
partition 0 keeps the name of its consumer at iteration 2, for instance. `DIGESTS` are of a stream
that is large enough for every step of sticky repair to be taken, also repacks and recalls.

Published fronts rest on these algorithms, which have no plain reference for whole streams. A
difference here is a change of results: it needs a reason in the changelog, not only new values.
"""

EXPECTED: dict[str, list[list[int]]] = {
    "BFD+M": [[0, 1, 0, 0, 2, -1], [0, -1, 2, 1, 2, 1], [0, 0, 2, 0, -1, 2]],
    "BFD+P": [[0, 1, 0, 0, 2, -1], [0, -1, 0, 0, 2, 1], [1, 1, 0, 1, -1, 0]],
    "BFD+M+P": [[0, 1, 0, 0, 2, -1], [0, -1, 0, 0, 2, 1], [0, 0, 1, 0, -1, 1]],
    "MWF+P": [[0, 1, 1, 0, 2, -1], [0, -1, 0, 0, 2, 1], [0, 1, 0, 2, -1, 1]],
    "WFD+M+P": [[0, 1, 1, 0, 2, -1], [0, -1, 0, 0, 2, 1], [0, 1, 0, 2, -1, 1]],
    "NF+M": [[1, 0, 0, 0, 2, -1], [1, -1, 2, 0, 2, 3], [1, 1, 2, 1, -1, 2]],
    "SR_0": [[0, 1, 0, 0, 2, -1], [0, -1, 0, 0, 2, 1], [0, 2, 0, 3, -1, 1]],
    "SR_0.7": [[0, 1, 0, 0, 2, -1], [0, -1, 0, 0, 2, 1], [0, 0, 1, 0, -1, 1]],
    "SR_inf": [[0, 1, 0, 0, 2, -1], [0, -1, 0, 0, 2, 1], [0, 0, 1, 0, -1, 1]],
}

PARTITIONS, ITERATIONS, DELTA, CAPACITY, STREAM_SEED = 120, 40, 15.0, 100.0, 7
"""The large stream; see `algorithms.streams.generate`."""

DIGESTS: dict[str, str] = {}
