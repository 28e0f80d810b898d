"""A Kafka cluster of one or three nodes on this machine, which ends with this process."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from live import live_settings
from live.kafka import broker_jars, broker_login, node_group, small_disks
from live.kafka.broker_node import BrokerNode
from live.kafka.broker_settings import NodePorts
from live.kafka.reserved_ports import reserved
from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES
from pipeline.base.errors import InputError

START_SECONDS = 90.0
"""Time limit of a start; after a kill -9 on a busy machine one took 17 s."""

STOP_SECONDS = 15.0
"""Time for an orderly end. The last of three nodes has no quorum left to say goodbye to."""

FORMAT_SECONDS = 60.0


class Cluster:
    """Nodes that are brokers and controllers at once, on ports that the system has chosen.

    A context manager: starts on entry, stops on exit. The ports stay the same, and reserved, until
    it is stopped. When this process ends in any other way, the system kills the nodes.

    folder: New folder of data and logs.
    nodes: 1 or 3.
    changes: Settings of the brokers that replace the usual ones.
    has_login: Whether the brokers want a login, which is made for this cluster.
    nodes: Number of nodes; they are called 1, 2, ….
    client_file: Client properties file with the login, for its owner alone; empty for none.
    Raises InputError if the number is not supported, or JARs or Java are missing.
    """

    def __init__(
        self,
        folder: Path,
        nodes: int = live_settings.Cluster.nodes,
        changes: Mapping[str, str] | None = None,
        *,
        has_login: bool = False,
    ) -> None:
        if nodes not in live_settings.NODES:
            raise InputError(f"`nodes` must be 1 or 3 (got {nodes})")
        self.nodes = nodes
        self.folder = folder.absolute()
        self.client_file = str(self.folder / broker_login.CLIENT_FILE) if has_login else ""
        self._changes = dict(changes or {})
        java = broker_jars.java_program()
        self._jars = broker_jars.ensure(java)
        numbers = range(1, nodes + 1)
        self._nodes = {n: BrokerNode(n, self.folder, java, self._jars) for n in numbers}
        self._reservations = ExitStack()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def bootstrap(self) -> str:
        """Addresses of the brokers, ``host:port,…``."""
        return ",".join(node.address for node in self._nodes.values())

    @property
    def version(self) -> str:
        """Version of Kafka, as its JAR's name has it."""
        return node_group.version(self._jars)

    def start(self, seconds: float = START_SECONDS) -> None:
        """Format and start all nodes, and wait until each of them answers and knows the others.

        Raises BrokerFailed if one does not start in time; all are stopped then.
        Raises InputError if the folder is in use.
        """
        try:
            self._configure()
            identity = node_group.new_identity()
            node_group.format_all(self._nodes.values(), identity, FORMAT_SECONDS)
            for node in self._nodes.values():
                node.launch()
            until = time.monotonic() + seconds
            for node in self._nodes.values():
                node.wait(set(self._nodes), until)
        except BaseException:
            self.stop(grace=0)
            raise

    def stop(self, grace: float = STOP_SECONDS) -> None:
        """End all nodes in order, kill those that take longer than ``grace`` seconds."""
        try:
            node_group.end(self._nodes.values(), grace)
        finally:
            self._reservations.close()

    def kill(self, number: int) -> None:
        """End a node at once, as ``kill -9`` or a power cut of its machine does."""
        node_group.end([self._nodes[number]], None)

    def stop_node(self, number: int, grace: float = STOP_SECONDS) -> None:
        """End a node in order."""
        node_group.end([self._nodes[number]], grace)

    def start_node(self, number: int, seconds: float = START_SECONDS) -> None:
        """Restart a node with its data. Raises BrokerFailed if it does not answer in time."""
        node = self._nodes[number]
        node_group.end([node], None)
        node.launch()
        node.wait({number}, time.monotonic() + seconds)

    def restart(self, number: int, seconds: float = START_SECONDS) -> None:
        """Stop a node in order, then start it again."""
        self.stop_node(number)
        self.start_node(number, seconds)

    def pid(self, number: int) -> int:
        """Process id of a node. Raises ValueError if it does not run."""
        return node_group.pid(self._nodes[number])

    def log(self, number: int) -> Path:
        """Log file of a node."""
        return self._nodes[number].log()

    def failures(self) -> dict[int, str]:
        """Nodes that have ended by themselves, each with its reason and the name of its log."""
        return node_group.failures(self._nodes)

    def outage(self) -> str:
        """Why no node is left, with the folder if its disk is full; empty while one is."""
        failures = self.failures()
        if len(failures) < self.nodes:
            return ""
        reasons = "; ".join(failures.values())
        if small_disks.is_full(self.folder):
            return f"no space left in {self.folder}; {reasons}"
        return reasons

    def discard_data(self) -> None:
        """Delete the records of a cluster that is stopped, and its login; its logs stay."""
        if self.client_file:
            Path(self.client_file).unlink(missing_ok=True)
        for node in self._nodes.values():
            node.discard_data()

    def _configure(self) -> None:
        """Reserve ports and write the settings of all nodes."""
        numbers = self._reservations.enter_context(reserved(2 * self.nodes))
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        ports = [NodePorts(*pair) for pair in pairs]
        login = node_group.new_login(Path(self.client_file)) if self.client_file else {}
        properties = (
            client_properties.read(Path(self.client_file)) if self.client_file else NO_PROPERTIES
        )
        for node in self._nodes.values():
            node.configure(ports, login | self._changes, properties.confluent)
