"""A cluster in memory: it moves replicas slowly, and counts what it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from live.brokers.throttles import Change, Resource
from live.user_cluster.cluster_placement import ClusterPlacement
from live.user_cluster.replica_logs import Partition
from pipeline.base.errors import InputError

LOOKS = 3
"""Looks at moves until they are over."""


class Killed(BaseException):
    """The controller is gone: nothing it would still do has an effect."""


class PretendedCluster:
    """`Nodes` and `Admin` in one."""

    def __init__(self, brokers: Iterable[int], rows: Mapping[Partition, tuple[int, ...]]) -> None:
        self.alive = set(brokers)
        self.registered = set(brokers)
        self.ended: set[int] = set()
        self.full: set[int] = set()
        self.rows = dict(rows)
        self.led = {one: row[0] for one, row in rows.items()}
        self.pending: dict[Partition, tuple[int, ...]] = {}
        self.configs: dict[Resource, dict[str, str]] = {}
        self.calls: list[str] = []
        self.is_killed = False
        self.can_cordon = True
        self._looks = 0

    def _called(self, name: str) -> None:
        if self.is_killed:
            raise Killed
        self.calls.append(name)

    def start(self, broker: int) -> None:
        self._called("start")
        assert broker not in self.full, "Kafka does not start"
        self.alive.add(broker)
        self.registered.add(broker)
        self.ended.discard(broker)

    def stop(self, broker: int) -> None:
        self._called("stop")
        assert all(broker not in row for row in self.rows.values()), "it has replicas"
        self.alive.discard(broker)
        self.ended.discard(broker)
        self.full.discard(broker)

    def kill(self, broker: int) -> None:
        self._called("kill")
        self.crash(broker)

    def is_full(self, broker: int) -> bool:
        return broker in self.full

    def has_ended(self, broker: int) -> bool:
        return broker in self.ended

    def crash(self, broker: int) -> None:
        self.alive.discard(broker)
        self.ended.add(broker)

    def brokers(self) -> list[int]:
        self._called("brokers")
        return sorted(self.alive)

    def placement(self) -> ClusterPlacement:
        self._called("placement")
        if self.pending:
            raise InputError("partitions move")
        racks = dict.fromkeys(sorted(self.alive), "")
        return ClusterPlacement(racks, dict(self.rows), dict.fromkeys(self.rows, 100))

    def generated(
        self, topics: Iterable[str], brokers: Iterable[int]
    ) -> dict[Partition, tuple[int, ...]]:
        """All partitions begin at the next broker, whatever is where."""
        self._called("generated")
        assert set(topics) == {topic for topic, _ in self.rows}
        ids = list(brokers)
        return {
            one: tuple(ids[(number + place) % len(ids)] for place in range(len(row)))
            for number, (one, row) in enumerate(self.rows.items())
        }

    def lists(self) -> dict[Partition, tuple[int, ...]]:
        self._called("lists")
        return dict(self.rows)

    def leaders(self) -> dict[Partition, int]:
        self._called("leaders")
        return dict(self.led)

    def logs(self, broker: int) -> set[Partition]:
        self._called("logs")
        return {one for one, row in self.rows.items() if broker in row}

    def moving(self) -> set[Partition]:
        self._called("moving")
        self._looks += 1
        can_move = all(set(row) <= self.alive - self.full for row in self.pending.values())
        if self.pending and self._looks >= LOOKS and can_move:
            for one, row in self.pending.items():
                self.rows[one] = row
                if self.led[one] not in row:
                    self.led[one] = row[-1]
            self.pending.clear()
        return set(self.pending)

    def reassign(self, lists: Mapping[Partition, Iterable[int] | None]) -> None:
        self._called("reassign")
        self._looks = 0
        for one, row in lists.items():
            self.pending.pop(one, None)
            if row is not None:
                self.pending[one] = tuple(row)

    def configure(self, changes: Mapping[Resource, Change]) -> None:
        self._called("configure")
        for resource, change in changes.items():
            assert resource.kind == "topic" or int(resource.name) in self.alive
            own = self.configs.setdefault(resource, {})
            for name, value in change.items():
                if value is None:
                    own.pop(name, None)
                else:
                    own[name] = value

    def cordon(self, broker: int) -> bool:
        self._called("cordon")
        if self.can_cordon:
            self.configure({Resource("broker", str(broker)): {"cordoned.log.dirs": "*"}})
        return self.can_cordon

    def elect(self) -> None:
        self._called("elect")
        for one, row in self.rows.items():
            if row[0] in self.alive:
                self.led[one] = row[0]

    def unregister(self, broker: int) -> None:
        self._called("unregister")
        assert broker not in self.alive, "it runs"
        self.registered.discard(broker)

    def clear(self, broker: int, names: Iterable[str]) -> None:
        self._called("clear")
        assert broker in self.registered, "Kafka refuses this"
        for name in names:
            self.configs.get(Resource("broker", str(broker)), {}).pop(name, None)

    @property
    def configured(self) -> dict[Resource, dict[str, str]]:
        """What is still set."""
        return {resource: own for resource, own in self.configs.items() if own}
