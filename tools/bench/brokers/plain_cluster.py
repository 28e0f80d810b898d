"""A cluster of one controller and some brokers, which does not change while it runs."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from live.kafka import admin_client, broker_jars
from live.kafka.broker_node import BrokerFailed, BrokerNode
from live.kafka.broker_settings import NodePorts
from live.kafka.reserved_ports import HOST, reserved
from live.processes import child_processes
from live.processes.child_processes import Child

TOPIC, PARTITIONS, REPLICATION = "curve", 16, 3

_START_S, _FORMAT_S, _END_S, _LEADERS_S = 120.0, 60.0, 5.0, 30.0


class PlainCluster(NamedTuple):
    """Brokers with the topic, which each partition of has as many leaders as any other's."""

    bootstrap: str
    brokers: dict[int, int]
    """Process id of each broker."""


@contextmanager
def started(folder: Path, brokers: int) -> Iterator[PlainCluster]:
    """A controller and brokers in a new folder, and the topic. Raises BrokerFailed."""
    java = broker_jars.java_program()
    jars = broker_jars.ensure(java)
    nodes = [BrokerNode(number, folder, java, jars) for number in range(1, brokers + 2)]
    try:
        with reserved(2 * len(nodes)) as numbers:
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            ports = [NodePorts(*pair) for pair in pairs]
            for node in nodes:
                node.configure(ports, _changes(ports, node.number), {})
            _format(nodes)
            for node in nodes:
                node.launch()
            until = time.monotonic() + _START_S
            for node in nodes[1:]:
                node.wait({each.number for each in nodes[1:]}, until)
            bootstrap = ",".join(node.address for node in nodes[1:])
            _create_topic(bootstrap, [node.number for node in nodes[1:]])
            yield PlainCluster(
                bootstrap, {node.number: node.child.pid for node in nodes[1:] if node.child}
            )
    finally:
        children = [node.child for node in nodes if node.child is not None]
        child_processes.stop(children, _END_S)


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


def _format(nodes: list[BrokerNode]) -> None:
    identity = "A" + secrets.token_urlsafe(16)[1:]  # Java takes a leading hyphen for an option
    children: list[Child] = []
    try:
        for node in nodes:
            children.append(node.format(identity))
            if children[-1].status_within(_FORMAT_S) != 0:
                raise BrokerFailed(f"cannot format node {node.number}: {children[-1].why()}")
    finally:
        child_processes.kill(children)


def _create_topic(bootstrap: str, brokers: list[int]) -> None:
    """Create the topic; partition by partition, replicas begin one broker further."""
    client: AdminClient = admin_client.connect(bootstrap)
    lists = [
        [brokers[(partition + place) % len(brokers)] for place in range(REPLICATION)]
        for partition in range(PARTITIONS)
    ]
    settings = {"min.insync.replicas": "2"}
    topic = NewTopic(TOPIC, PARTITIONS, replica_assignment=lists, config=settings)
    for future in client.create_topics([topic]).values():
        future.result(_LEADERS_S)

    def is_led() -> bool:
        view = admin_client.look(client)
        leaders = {} if view is None else view.leaders.get(TOPIC, {})
        return len(leaders) == PARTITIONS and -1 not in leaders.values()

    if not admin_client.waited_for(is_led, _LEADERS_S):
        raise BrokerFailed(f"topic {TOPIC} has no leaders after {_LEADERS_S:g} s")
