"""Settings of the nodes of a cluster, each of them broker and controller at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from live.kafka.reserved_ports import HOST

JAVA_OPTIONS = (
    # A small heap on few cores; code that runs for minutes gains nothing from optimising compilers.
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    # A broker without memory must end, or its clients wait for it.
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
)

MIB = 2**20


class NodePorts(NamedTuple):
    """Ports of a node, on the loopback address."""

    broker: int
    controller: int


def min_in_sync(nodes: int) -> int:
    """Replicas that must have a record before it counts as written: 2 of 3, 1 of 1."""
    return min(nodes, 2)


def server_properties(
    node: int, ports: Sequence[NodePorts], data: Path, changes: Mapping[str, str]
) -> str:
    """Text of a node's ``server.properties``.

    node: Number of the node, from 1.
    data: Folder of its logs of records.
    """
    own = _network(node, ports) | replication(len(ports)) | {"log.dirs": str(data)}
    settings = {**_SIZES, **own, **changes}
    return "".join(f"{key}={_escaped(value)}\n" for key, value in settings.items())


def _network(node: int, ports: Sequence[NodePorts]) -> dict[str, str]:
    own = ports[node - 1]
    client = f"PLAINTEXT://{HOST}:{own.broker}"
    voters = [f"{n}@{HOST}:{each.controller}" for n, each in enumerate(ports, 1)]
    return {
        "process.roles": "broker,controller",
        "node.id": str(node),
        "controller.quorum.voters": ",".join(voters),
        "listeners": f"{client},CONTROLLER://{HOST}:{own.controller}",
        "advertised.listeners": client,
        "inter.broker.listener.name": "PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    }


def replication(nodes: int) -> dict[str, str]:
    """Settings for this many replicas of each partition, Kafka's own topics included."""
    copies, in_sync = str(nodes), str(min_in_sync(nodes))
    return {
        "default.replication.factor": copies,
        "min.insync.replicas": in_sync,
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": in_sync,
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": in_sync,
    }


_SIZES: dict[str, str] = {
    # A misspelled topic is an error.
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    # Others take over from a killed node, and its successor is let in, only after its session. By
    # default it lasts 9 s.
    "broker.session.timeout.ms": "6000",
    "broker.heartbeat.interval.ms": "1000",
    # Kafka's own topics have 50 partitions each by default, which all cost time at a restart.
    "offsets.topic.num.partitions": "5",
    "transaction.state.log.num.partitions": "5",
    "share.coordinator.state.topic.num.partitions": "1",
    # Retention by bytes keeps the disk small only if old segments go soon.
    "log.retention.check.interval.ms": "5000",
    "log.segment.delete.delay.ms": "1000",
    "log.cleaner.backoff.ms": "5000",
    # By default the cleaner of compacted topics takes 128 MiB of the heap.
    "log.cleaner.dedupe.buffer.size": str(8 * MIB),
    # Two such files are reserved for the newest segment of each partition.
    "log.index.size.max.bytes": str(MIB),
}


def _escaped(value: str) -> str:
    """A value as Java reads it: backslashes escape, and only Latin-1 is safe."""
    text = value.replace("\\", "\\\\")
    return "".join(c if " " <= c <= "~" else _units(c) for c in text)


def _units(character: str) -> str:
    code = character.encode("utf-16-be")
    return "".join(f"\\u{code[i]:02x}{code[i + 1]:02x}" for i in range(0, len(code), 2))
