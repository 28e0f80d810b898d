"""The consumer group that snapshots of ``kafka-consumer-groups --describe`` show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NO_MEMBER = -1
"""Owner of a partition that no member reads."""


class RecordedGroup(NamedTuple):
    """A group over T snapshots of the P partitions of a trace."""

    name: str
    """Id of the group; empty if the snapshots do not say."""
    partitions: tuple[str, ...]
    """Names of the P partitions, in the order of the trace."""
    times: Floats
    """``float64[T]``, time of each snapshot, s since 1970 (UTC), ascending."""
    committed: Floats
    """``float64[T, P]``, the next offset that the group reads, as last committed; NaN where the
    group has committed none."""
    ends: Floats
    """``float64[T, P]``, end offset of each partition; NaN where unknown."""
    owners: NDArray[np.int64]
    """``int64[T, P]``, index in `members` of the member that reads each partition, or `NO_MEMBER`.
    """
    members: tuple[str, ...]
    """Ids of the members (``CONSUMER-ID``) that occur in any snapshot, by first appearance."""
    hosts: tuple[str, ...]
    """Host of each member; empty where unknown."""

    @property
    def lag(self) -> Floats:
        """``float64[T, P]``: events between the committed and the end offset; NaN if unknown."""
        events: Floats = np.maximum(self.ends - self.committed, 0.0)
        return events

    def members_at(self, snapshot: int) -> int:
        """Number of members that own a partition in a snapshot, by its index."""
        owners = self.owners[snapshot]
        return len(np.unique(owners[owners != NO_MEMBER]))
