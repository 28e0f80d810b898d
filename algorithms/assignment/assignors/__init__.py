"""Assignors of consumer groups: how Kafka, and KIP-169, place partitions on members.

`assign` places the partitions of one topic, `assign_group` those of several, and `lag_based` those
of any partition numbers by lag. Compiled code calls
`placement.place` or `placement.settle` with the code of an assignor, `assignor_names.code_of`.
"""

from algorithms.assignment.assignors.assignor_names import code_of, names
from algorithms.assignment.assignors.one_topic import assign
from algorithms.assignment.assignors.several_topics import lag, lag_based
from algorithms.assignment.assignors.several_topics_rebalance import assign_group
from algorithms.assignment.assignors.topic_sizes import check_sizes, most_useful

__all__ = [
    "assign",
    "assign_group",
    "check_sizes",
    "code_of",
    "lag",
    "lag_based",
    "most_useful",
    "names",
]
