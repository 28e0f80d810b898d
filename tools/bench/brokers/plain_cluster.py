"""A cluster of one controller and some brokers, whose topic is made for each number of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from live.kafka import admin_client, broker_jars, node_group
from live.kafka.broker_node import BrokerFailed, BrokerNode
from live.kafka.broker_settings import NodePorts
from live.kafka.reserved_ports import HOST, reserved

PARTITIONS, REPLICATION = 16, 3

_START_S, _FORMAT_S, _END_S, _LEADERS_S = 240.0, 180.0, 5.0, 60.0


class PlainCluster:
    """A controller, node 1, and brokers from node 2 on; see `started`."""

    def __init__(self, nodes: list[BrokerNode]) -> None:
        self._nodes = nodes

    @property
    def brokers(self) -> dict[int, int]:
        """Process ids of the brokers that run."""
        return {n.number: n.child.pid for n in self._nodes[1:] if n.child is not None}

    @property
    def bootstrap(self) -> str:
        """Addresses of the brokers that run."""
        return ",".join(node.address for node in self._running())

    def resize(self, brokers: int) -> None:
        """Start or stop the last brokers; they hold no replicas of topics that exist."""
        for node in reversed(self._nodes[brokers + 1 :]):
            if node.child is not None:
                node_group.end([node], _END_S)
        for node in self._nodes[1 : brokers + 1]:
            if node.child is None:
                node.launch()
        until = time.monotonic() + _START_S
        for node in self._running():
            node.wait({each.number for each in self._running()}, until)

    @contextmanager
    def topic(self, name: str) -> Iterator[None]:
        """A topic on all brokers; partition by partition, replicas begin one broker further."""
        client: AdminClient = admin_client.connect(self.bootstrap)
        brokers = [node.number for node in self._running()]
        lists = [
            [brokers[(partition + place) % len(brokers)] for place in range(REPLICATION)]
            for partition in range(PARTITIONS)
        ]
        settings = {"min.insync.replicas": "2"}
        topic = NewTopic(name, PARTITIONS, replica_assignment=lists, config=settings)
        for future in client.create_topics([topic]).values():
            future.result(_LEADERS_S)

        def is_led() -> bool:
            view = admin_client.look(client)
            leaders = {} if view is None else view.leaders.get(name, {})
            return len(leaders) == PARTITIONS and -1 not in leaders.values()

        if not admin_client.waited_for(is_led, _LEADERS_S):
            raise BrokerFailed(f"topic {name} has no leaders after {_LEADERS_S:g} s")
        yield
        for future in client.delete_topics([name]).values():
            future.result(_LEADERS_S)

    def _running(self) -> list[BrokerNode]:
        return [node for node in self._nodes[1:] if node.child is not None]


@contextmanager
def started(folder: Path, most: int, brokers: int) -> Iterator[PlainCluster]:
    """A controller and brokers in a new folder.

    most: Brokers that it can have; ports are reserved for all of them.
    Raises BrokerFailed if one does not start.
    """
    java = broker_jars.java_program()
    jars = broker_jars.ensure(java)
    nodes = [BrokerNode(number, folder, java, jars) for number in range(1, most + 2)]
    try:
        with reserved(2 * len(nodes)) as numbers:
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            ports = [NodePorts(*pair) for pair in pairs]
            for node in nodes:
                node.configure(ports, _changes(ports, node.number), {})
            node_group.format_all(nodes, node_group.new_identity(), _FORMAT_S)
            nodes[0].launch()
            cluster = PlainCluster(nodes)
            cluster.resize(brokers)
            yield cluster
    finally:
        node_group.end(nodes, _END_S)


def _changes(ports: list[NodePorts], number: int) -> dict[str, str]:
    """Settings of a node: the first one is the controller, the others are brokers."""
    own = ports[number - 1]
    client, control = f"PLAINTEXT://{HOST}:{own.broker}", f"CONTROLLER://{HOST}:{own.controller}"
    role = (
        {"process.roles": "controller", "listeners": control, "advertised.listeners": control}
        if number == 1
        else {"process.roles": "broker", "listeners": client}
    )
    # Only the first node votes.
    return {**role, "controller.quorum.voters": f"1@{HOST}:{ports[0].controller}"}
