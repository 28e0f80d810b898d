"""Assignors of consumer groups: how Kafka, and KIP-169, place partitions on members.

`assign` places the partitions of one topic, `lag_based` those of several. Compiled code calls
`placement.place` or `placement.settle` with the code of an assignor, `assignor_names.code_of`.
"""

from algorithms.assignment.assignors.assignor_names import code_of, names
from algorithms.assignment.assignors.one_topic import assign
from algorithms.assignment.assignors.several_topics import lag, lag_based

__all__ = ["assign", "code_of", "lag", "lag_based", "names"]
