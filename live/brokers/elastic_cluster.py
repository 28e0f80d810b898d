"""A Kafka cluster of KRaft controllers and brokers that come and go; it ends with this process.

All ports are reserved at first, so that a broker's id always has the same address.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from live.kafka import broker_jars, broker_login, broker_settings, node_group, small_disks
from live.kafka.broker_node import BrokerNode
from live.kafka.broker_settings import NodePorts
from live.kafka.reserved_ports import HOST, reserved
from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES, ClientProperties
from live.processes import child_processes

START_SECONDS = 300.0
"""Time limit of a start, of one broker or of all; on an idle machine one joins in 7 s."""

STOP_SECONDS = 30.0
FORMAT_SECONDS = 300.0

CONTROLLER_HEAP_MIB = 256
"""Heap of a KRaft controller, which stores no records, MiB."""


class ElasticCluster:
    """Brokers 1, 2, … with a login, and nodes that are their KRaft controllers alone.

    A context manager: starts on entry; stops on exit and deletes its data. Its logs stay.

    folder: New folder of data and logs.
    brokers: Number of brokers at the start.
    most: Highest number of brokers.
    kraft_controllers: Number of KRaft controllers; their ids follow that of the last broker.
    replication: Replicas of a partition, unless a topic says otherwise.
    disk_mib: Size of the file system of a broker that gets its own, MiB; see `give_disk`.
    changes: Settings of the brokers that replace the usual ones.
    Raises InputError if JARs or Java are missing.
    """

    def __init__(
        self,
        folder: Path,
        brokers: int,
        most: int,
        kraft_controllers: int,
        replication: int,
        disk_mib: int = 0,
        changes: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.most, self._disk_mib = folder.absolute(), most, disk_mib
        self.client_file: Path = self.folder / broker_login.CLIENT_FILE
        self.properties: ClientProperties = NO_PROPERTIES
        self._first = range(1, brokers + 1)
        self._changes = broker_settings.replication(replication) | dict(changes or {})
        self.java: Path = broker_jars.java_program()
        self.jars: Path = broker_jars.ensure(self.java)
        self.controllers = range(most + 1, most + 1 + kraft_controllers)
        """Ids of the KRaft controllers."""
        self._nodes = {n: self._node(n) for n in range(1, self.controllers.stop)}
        self._ports: list[NodePorts] = []
        self._identity = ""
        self._login: dict[str, str] = {}
        self._reservations = ExitStack()
        self._disks: dict[int, bool] = {}
        """Brokers with file systems of their own, and whether these are mounted."""

    def __enter__(self) -> Self:
        try:
            self._launch()
        except BaseException:
            self._stop(None)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop(STOP_SECONDS)

    @property
    def brokers(self) -> list[int]:
        """Ids of the brokers that have been started and not stopped, ascending."""
        return [n for n, node in self._nodes.items() if node.child and n <= self.most]

    @property
    def bootstrap(self) -> str:
        """Addresses of these brokers, ``host:port,…``."""
        return ",".join(self._nodes[n].address for n in self.brokers if not self.has_ended(n))

    @property
    def controller_addresses(self) -> str:
        """Where the KRaft controllers listen, ``host:port,…``."""
        return ",".join(map(self._controller_address, self.controllers))

    @property
    def version(self) -> str:
        """Version of Kafka, as its JAR's name has it."""
        return node_group.version(self.jars)

    def start(self, broker: int, seconds: float = START_SECONDS) -> None:
        """Start a broker with an empty folder, and wait until it is registered and answers.

        One that has ended by itself is started with its data. One that runs stays as it is.
        Raises BrokerFailed if it does not answer in time.
        """
        node = self._nodes[broker]
        if node.child is None:
            node.discard_data()
            self._configure(broker)
            if broker in self._disks:
                small_disks.mount(node.data, self._disk_mib)
                self._disks[broker] = True
            node_group.format_all([node], self._identity, FORMAT_SECONDS)
        elif node.has_ended():
            child_processes.kill([node.child])
        else:
            return
        node.launch()
        node.wait({broker}, time.monotonic() + seconds)

    def stop(self, broker: int) -> None:
        """End a broker in order, and delete its data."""
        node_group.end([self._nodes[broker]], STOP_SECONDS)
        self._discard(broker)

    def kill(self, broker: int) -> None:
        """End a broker at once, as ``kill -9`` does; `has_ended` is true then."""
        child = self._nodes[broker].child
        if child is not None:
            child_processes.kill([child])

    def kill_controller(self, controller: int) -> None:
        """End a KRaft controller at once, as ``kill -9`` does."""
        node_group.end([self._nodes[controller]], None)

    def restart_controllers(self) -> None:
        """Start KRaft controllers that were killed, with their data; they follow after a while."""
        for number in self.controllers:
            if self._nodes[number].child is None:
                self._nodes[number].launch()

    def has_ended(self, broker: int) -> bool:
        """Whether its process has ended by itself."""
        return self._nodes[broker].has_ended()

    def give_disk(self, broker: int) -> None:
        """Have a broker that is to start store its logs on a file system of its own."""
        self._disks[broker] = False

    def fill_disk(self, broker: int) -> None:
        """Leave a broker's own file system no space. Raises NoSmallDisk if that fails."""
        small_disks.fill(self._nodes[broker].data)

    def make_room(self, broker: int) -> None:
        """Give a broker's own file system its space back. Raises NoSmallDisk if that fails."""
        small_disks.grow(self._nodes[broker].data, self._disk_mib)

    def is_full(self, broker: int) -> bool:
        """Whether a broker's disk has no space left."""
        return small_disks.is_full(self._nodes[broker].data)

    def pid(self, broker: int) -> int:
        """Process id of a broker. Raises ValueError if it does not run."""
        return node_group.pid(self._nodes[broker])

    def log(self, broker: int) -> Path:
        """Log file of a broker."""
        return self._nodes[broker].log()

    def failures(self) -> dict[int, str]:
        """Nodes that have ended by themselves, each with its reason and the name of its log."""
        return node_group.failures(self._nodes)

    def _launch(self) -> None:
        numbers = self._reservations.enter_context(reserved(2 * len(self._nodes)))
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        self._ports = [NodePorts(*pair) for pair in pairs]
        self._identity = node_group.new_identity()
        self._login = node_group.new_login(self.client_file)
        self.properties = client_properties.read(self.client_file)
        present = [*self._first, *self.controllers]
        for number in present:
            self._configure(number)
        starting = [self._nodes[number] for number in present]
        node_group.format_all(starting, self._identity, FORMAT_SECONDS)
        for number in present:
            self._nodes[number].launch()
        until = time.monotonic() + START_SECONDS
        for number in self._first:
            self._nodes[number].wait(set(self._first), until)

    def _node(self, number: int) -> BrokerNode:
        place = (number, self.folder, self.java, self.jars)
        if number in self.controllers:
            return BrokerNode(*place, CONTROLLER_HEAP_MIB)
        return BrokerNode(*place)

    def _controller_address(self, number: int) -> str:
        return f"{HOST}:{self._ports[number - 1].controller}"

    def _configure(self, number: int) -> None:
        """Write the settings of a node."""
        role = self._role(number)
        changes = self._login | self._changes | role
        self._nodes[number].configure(self._ports, changes, self.properties.confluent)

    def _role(self, number: int) -> dict[str, str]:
        """Settings that make a node a broker or a KRaft controller alone."""
        addresses = [f"{n}@{self._controller_address(n)}" for n in self.controllers]
        voters = {"controller.quorum.voters": ",".join(addresses)}
        if number in self.controllers:
            listener = f"CONTROLLER://{self._controller_address(number)}"
            return voters | {
                "process.roles": "controller",
                "listeners": listener,
                "advertised.listeners": listener,
            }
        listener = f"PLAINTEXT://{HOST}:{self._ports[number - 1].broker}"
        return voters | {"process.roles": "broker", "listeners": listener}

    def _stop(self, grace: float | None) -> None:
        """End the brokers, then their controllers, and delete what they stored."""
        nodes = list(self._nodes.values())
        try:
            node_group.end(nodes[: self.most], grace)
            node_group.end(nodes[self.most :], grace)
        finally:
            self._reservations.close()
            self.client_file.unlink(missing_ok=True)
            for number in self._nodes:
                self._discard(number)

    def _discard(self, number: int) -> None:
        """Delete what a node that has ended stored, with its file system."""
        if self._disks.pop(number, False):
            small_disks.unmount(self._nodes[number].data)
        self._nodes[number].discard_data()
