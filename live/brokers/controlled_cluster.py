"""What our controller asks a cluster and its processes, and what it orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from live.brokers.throttles import Change, Resource
from live.user_cluster.cluster_placement import ClusterPlacement
from live.user_cluster.replica_logs import Partition


class Nodes(Protocol):
    """Processes of the brokers."""

    def start(self, broker: int) -> None:
        """Start one, unless it runs, and wait until it answers."""

    def stop(self, broker: int) -> None:
        """End one in order, and delete what it stored."""

    def kill(self, broker: int) -> None:
        """End one at once; it has ended by itself then."""

    def has_ended(self, broker: int) -> bool:
        """Whether it has ended by itself."""

    def is_full(self, broker: int) -> bool:
        """Whether its disk has no space left."""


class Admin(Protocol):
    """Questions and orders to a cluster."""

    def brokers(self) -> list[int]:
        """Brokers that are registered and answer."""

    def placement(self) -> ClusterPlacement:
        """Replicas of all topics; raises InputError while partitions move."""

    def generated(
        self, topics: Iterable[str], brokers: Iterable[int]
    ) -> dict[Partition, tuple[int, ...]]:
        """Brokers of all partitions of topics as Kafka's own tool would place them again."""

    def lists(self) -> dict[Partition, tuple[int, ...]]:
        """Brokers of all partitions, the preferred leader first."""

    def leaders(self) -> dict[Partition, int]:
        """Leader of each partition; -1 without one."""

    def logs(self, broker: int) -> set[Partition]:
        """Logs on a broker."""

    def moving(self) -> set[Partition]:
        """Partitions whose reassignment is under way."""

    def reassign(self, lists: Mapping[Partition, Iterable[int] | None]) -> None:
        """Order moves; None cancels one."""

    def configure(self, changes: Mapping[Resource, Change]) -> None:
        """Change dynamic configurations."""

    def cordon(self, broker: int) -> bool:
        """Keep new replicas away from a broker; False if its cluster cannot."""

    def elect(self) -> None:
        """Make preferred leaders lead."""

    def unregister(self, broker: int) -> None:
        """Forget a broker that has ended."""

    def clear(self, broker: int, names: Iterable[str]) -> None:
        """Delete dynamic configurations of a broker that has ended and is registered."""
