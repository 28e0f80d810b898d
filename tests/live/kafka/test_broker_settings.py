"""Settings of our brokers: nothing listens beyond this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from live import live_settings
from live.kafka import broker_login
from live.kafka.broker_settings import NodePorts, server_properties

pytestmark = pytest.mark.unit

LISTENERS = ("listeners", "advertised.listeners")
"""Addresses that a node opens, and that it tells its clients."""


def settings(node: int, nodes: int) -> dict[str, str]:
    ports = [NodePorts(9000 + 2 * n, 9001 + 2 * n) for n in range(nodes)]
    text = server_properties(node, ports, Path("data"), {})
    return dict(line.split("=", 1) for line in text.splitlines())


@pytest.mark.parametrize("nodes", live_settings.NODES)
def test_all_addresses_are_on_the_loopback_address(nodes: int) -> None:
    for node in range(1, nodes + 1):
        config = settings(node, nodes)
        addresses = [
            address.split("://")[1] for key in LISTENERS for address in config[key].split(",")
        ]
        assert len(addresses) == 3
        voters = [each.split("@")[1] for each in config["controller.quorum.voters"].split(",")]
        assert len(voters) == nodes
        assert {address.rpartition(":")[0] for address in (*addresses, *voters)} == {"127.0.0.1"}
        # Nothing else makes a node listen, such as `host.name`, `advertised.host.name` or JMX.
        others = {key for key in config if "listener" in key or "host" in key or "jmx" in key}
        assert others - set(LISTENERS) == {
            "inter.broker.listener.name",
            "controller.listener.names",
            "listener.security.protocol.map",
        }


@pytest.mark.parametrize("nodes", live_settings.NODES)
def test_every_listener_has_a_port_of_its_own(nodes: int) -> None:
    ports = {
        address.rpartition(":")[2]
        for node in range(1, nodes + 1)
        for address in settings(node, nodes)["listeners"].split(",")
    }
    assert len(ports) == 2 * nodes


def test_with_a_login_no_listener_is_open_to_everybody() -> None:
    ports = [NodePorts(9000, 9001)]
    login = broker_login.server_settings(broker_login.new_password())
    text = server_properties(1, ports, Path("data"), login)
    config = dict(line.split("=", 1) for line in text.splitlines())
    listeners = {each.split("://")[0] for each in config["listeners"].split(",")}
    kinds = dict(pair.split(":") for pair in config["listener.security.protocol.map"].split(","))
    assert kinds == dict.fromkeys(listeners, "SASL_PLAINTEXT")
    for listener in listeners:
        assert f"listener.name.{listener.lower()}.plain.sasl.jaas.config" in config


def test_no_two_clusters_share_a_password() -> None:
    assert len({broker_login.new_password() for _ in range(100)}) == 100
