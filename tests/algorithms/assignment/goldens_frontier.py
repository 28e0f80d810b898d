"""Pinned assignments of algorithms with passes or with a price.

`EXPECTED` is on the small stream of `goldens`, where each can be followed on paper: with `+M`,
partition 0 keeps the name of its consumer at iteration 2, for instance. `DIGESTS` are of a stream
that is large enough for every step of sticky repair to be taken, also repacks, recalls and refits.

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
"""The large stream; see `algorithms.workloads.random_walk.generate`."""

DIGESTS: dict[str, str] = {
    "BFD+M": "2b9aa8d1f5491784",
    "BFD+P": "6b2c9a508ce209d8",
    "BFD+M+P": "f303e744931f2add",
    "MWF+P": "96117fdecf73c2df",
    "NF+M+P": "2306728df82a51a2",
    "SR_0": "114d8040006e1439",
    "SR_0.4": "cbc5056ac3aa0e58",
    "SR_0.7": "d2305863d2e56d48",
    "SR_3": "1fb88741e8cbc5bc",
    "SR_inf": "526e7469231b6b59",
}
