"""What clusters of our own do with several nodes at once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from live.kafka import broker_login
from live.kafka.broker_node import BrokerFailed, BrokerNode
from live.processes import child_processes
from pipeline.base.errors import InputError


def new_identity() -> str:
    """Identity of a new cluster."""
    # Java would take an id that begins with a hyphen for an option.
    return next(i for i in iter(lambda: secrets.token_urlsafe(16), "") if i[0] != "-")


def new_login(client_file: Path) -> dict[str, str]:
    """Write a new login into the clients' file; returns the settings of the nodes.

    Raises InputError if there is such a file already.
    """
    password = broker_login.new_password()
    client_file.parent.mkdir(parents=True, exist_ok=True)
    try:
        broker_login.write_private(client_file, broker_login.client_text(password))
    except FileExistsError:
        message = f"{client_file} exists already; a cluster needs a new folder"
        raise InputError(message) from None
    return broker_login.server_settings(password)


def format_all(nodes: Iterable[BrokerNode], identity: str, seconds: float) -> None:
    """Write the identity into the data folders of nodes; all at the same time.

    Raises BrokerFailed if one cannot be formatted in time.
    """
    children = {node.number: node.format(identity) for node in nodes}
    until = time.monotonic() + seconds
    try:
        for number, child in children.items():
            if child.status_within(until - time.monotonic()) != 0:
                raise BrokerFailed(f"cannot format node {number}: {child.why()}")
    finally:
        child_processes.kill(children.values())


def end(nodes: Iterable[BrokerNode], grace: float | None) -> None:
    """End nodes together, and kill those that take longer than some seconds; None kills them."""
    children = []
    for node in nodes:
        if node.child is not None:
            children.append(node.child)
            node.child = None
    if grace is None:
        child_processes.kill(children)
    else:
        child_processes.stop(children, grace)


def pid(node: BrokerNode) -> int:
    """Process id of a node. Raises ValueError if it does not run."""
    if node.child is None:
        raise ValueError(f"node {node.number} does not run")
    return node.child.pid


def failures(nodes: Mapping[int, BrokerNode]) -> dict[int, str]:
    """Nodes that have ended by themselves, each with its reason and the name of its log."""
    return {
        number: f"node {number} has ended{node.why()}"
        for number, node in nodes.items()
        if node.has_ended()
    }


def version(jars: Path) -> str:
    """Version of Kafka, as its JAR's name has it."""
    names = (file.stem for file in jars.glob("*kafka_*.jar"))
    return next((name.rpartition("-")[2] for name in names), "unknown")
