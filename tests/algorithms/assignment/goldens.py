"""Pinned assignments of every registered algorithm on one small stream.

The stream is the result of a search: no two of the twelve algorithms assign it alike, although it
has only six partitions and three iterations. Partition 5 arrives at iteration 2, 1 is away there,
and 4 departs at iteration 3; 7 + 2 + 1 fills a consumer exactly. The values come from the naive
reference; MWF was checked on paper throughout, NF and FFD for the first iteration.

Kernel and reference could change together, by a common misreading or by another random order.
Published tables would change with them, so a difference here is a change of results: it needs a
reason in the changelog, not only new values.
"""

import math

CAPACITY = 10.0
SEED = 2024

RATES = [
    [7.0, 7.0, 1.0, 2.0, 7.0, math.nan],
    [5.0, math.nan, 4.0, 1.0, 6.0, 7.0],
    [3.0, 5.0, 6.0, 2.0, math.nan, 4.0],
]

# In which order NF, FF, BF and WF take the partitions, for `SEED`.
ORDERS = [[1, 3, 5, 2, 0, 4], [5, 1, 0, 4, 2, 3], [2, 5, 3, 1, 0, 4]]

EXPECTED: dict[str, list[list[int]]] = {
    "NF": [[1, 0, 0, 0, 2, -1], [1, -1, 2, 3, 2, 0], [3, 3, 2, 3, -1, 2]],
    "NFD": [[0, 1, 2, 2, 2, -1], [1, -1, 1, 1, 2, 0], [2, 0, 1, 2, -1, 0]],
    "FF": [[1, 0, 0, 0, 2, -1], [1, -1, 1, 0, 2, 0], [0, 0, 1, 0, -1, 1]],
    "FFD": [[0, 1, 0, 0, 2, -1], [1, -1, 1, 0, 2, 0], [1, 0, 1, 2, -1, 0]],
    "BF": [[1, 0, 0, 0, 2, -1], [1, -1, 2, 0, 2, 0], [0, 0, 2, 0, -1, 2]],
    "BFD": [[0, 1, 0, 0, 2, -1], [1, -1, 2, 0, 2, 0], [0, 0, 2, 0, -1, 2]],
    "WF": [[1, 0, 0, 0, 2, -1], [1, -1, 1, 2, 2, 0], [2, 2, 1, 2, -1, 1]],
    "WFD": [[0, 1, 1, 0, 2, -1], [1, -1, 1, 2, 2, 0], [1, 0, 1, 2, -1, 0]],
    "MWF": [[0, 1, 1, 0, 2, -1], [0, -1, 0, 0, 2, 1], [0, 1, 0, 2, -1, 1]],
    "MBF": [[0, 1, 0, 0, 2, -1], [0, -1, 0, 0, 2, 1], [0, 1, 0, 2, -1, 1]],
    "MWFP": [[0, 1, 1, 0, 2, -1], [0, -1, 0, 2, 2, 1], [0, 2, 0, 1, -1, 1]],
    "MBFP": [[0, 1, 0, 0, 2, -1], [0, -1, 0, 2, 2, 1], [0, 2, 0, 1, -1, 1]],
    "NF0": [[1, 0, 0, 0, 2, -1], [1, -1, 2, 3, 2, 0], [3, 3, 0, 3, -1, 0]],
    "NFD0": [[0, 1, 2, 2, 2, -1], [1, -1, 1, 1, 2, 0], [2, 1, 0, 2, -1, 1]],
    "kd_3": [[0, 1, 2, 0, 1, -1], [0, -1, 2, 0, 1, 2], [0, 1, 2, 0, -1, 2]],
    "range_3": [[0, 0, 1, 1, 2, -1], [0, -1, 1, 1, 2, 2], [0, 0, 1, 1, -1, 2]],
}

# Of the algorithms with a parameter, which are not registered one by one.
STATIC: tuple[str, ...] = ("kd_3", "range_3")
