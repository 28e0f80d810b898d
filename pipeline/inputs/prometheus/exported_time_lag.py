"""Query for the time lag of a group, as exporters have it: the right one, or no result.

An exporter has no series, or NaN, for a partition whose time lag it does not know. The greatest of
the others could be too low, so the query counts partitions.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.inputs.prometheus import promql
from pipeline.inputs.prometheus.exporters import EXPORTERS

_NAMES = next(each for each in EXPORTERS if each.lag_s)

EXPORTER = _NAMES.name
"""The exporter whose metric is asked; klag-exporter has the same names."""


def greatest(group: str, topics: Sequence[str], partitions: int) -> str:
    """Query for the greatest time lag of a group's partitions, seconds.

    partitions: Number of partitions of all topics: with fewer of them there is no result.

    >>> print(greatest("readers", ["clicks"], 9))
    max(kafka_consumergroup_group_lag_seconds{group="readers",topic="clicks"} >= 0)
    and on() (count(count by (topic, partition) (
      kafka_consumergroup_group_lag_seconds{group="readers",topic="clicks"} >= 0
    )) >= 9)
    """
    labels = {_NAMES.group: [group], _NAMES.topic: topics}
    series = f"{promql.selector(_NAMES.lag_s, labels)} >= 0"  # NaN is not.
    by = f"{_NAMES.topic}, {_NAMES.partition}"
    return f"max({series})\nand on() (count(count by ({by}) (\n  {series}\n)) >= {partitions})"
