"""What stands between a user and a topic is said in one line, before anything is read."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES, ClientProperties
from live.user_cluster import cluster_access
from pipeline.base.errors import InputError

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster.secured_broker import SecuredBroker

CLOSED = "127.0.0.1:1"


@pytest.mark.unit
@pytest.mark.parametrize("text", ["b1:9092", "b1:9092, b2:9093", "[::1]:9092", "10.0.0.1:65535"])
def test_addresses(text: str) -> None:
    assert cluster_access.check_bootstrap(text, NO_PROPERTIES) == text.replace(" ", "")


@pytest.mark.unit
@pytest.mark.parametrize("text", ["b1", "b1:", ":9092", "b1:0", "b1:65536", "a:1,", "http://b:1"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(InputError, match="`--bootstrap` must be HOST:PORT"):
        cluster_access.check_bootstrap(text, NO_PROPERTIES)


@pytest.mark.unit
@pytest.mark.parametrize("text", ["ada:hunter2@b1:9092", "x" * 10**6, "b:1," * 10**6 + "b:1"])
def test_a_wrong_address_is_not_quoted_with_a_password_or_without_end(text: str) -> None:
    with pytest.raises(InputError, match="`--bootstrap` must be HOST:PORT") as caught:
        cluster_access.check_bootstrap(text, NO_PROPERTIES)
    assert "hunter2" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.unit
def test_addresses_of_the_file() -> None:
    properties = ClientProperties(bootstrap="b1:9092")
    assert cluster_access.check_bootstrap(None, properties) == "b1:9092"
    assert cluster_access.check_bootstrap("b2:9092", properties) == "b2:9092"
    with pytest.raises(InputError, match="`--bootstrap` is missing"):
        cluster_access.check_bootstrap(None, NO_PROPERTIES)


@pytest.mark.live
def test_nobody_answers() -> None:
    began = time.monotonic()
    with pytest.raises(InputError, match=f"no Kafka broker answers at {CLOSED} within 2 s"):
        cluster_access.access(CLOSED, "t", NO_PROPERTIES, 2.0)
    assert time.monotonic() - began < 4


@pytest.mark.live
def test_a_topic_and_its_neighbours(topic: str, broker: Cluster) -> None:
    access = cluster_access.access(broker.bootstrap, topic, NO_PROPERTIES)
    assert (access.topic, access.partitions) == (topic, 3)
    with pytest.raises(InputError) as caught:
        cluster_access.access(broker.bootstrap, topic + "x", NO_PROPERTIES)
    assert str(caught.value).startswith(
        f"topic '{topic}x' does not exist on this cluster; did you mean {topic}"
    )
    with pytest.raises(InputError, match="cannot describe topic ''"):
        cluster_access.access(broker.bootstrap, "", NO_PROPERTIES)


@pytest.mark.live
@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
def test_a_login_over_tls(
    secured: SecuredBroker, secured_topic: str, tmp_path: Path, mechanism: str
) -> None:
    from live.speeds.log_sizes import LogSizes
    from tests.live.user_cluster.secured_broker import MAY_READ

    properties = client_properties.read(secured.properties(tmp_path / "p", MAY_READ, mechanism))
    assert properties.warning == ""
    access = cluster_access.access(secured.bootstrap, secured_topic, properties)
    assert access.partitions == 3
    sizes = LogSizes(secured.bootstrap, secured_topic, properties.kafka_python)
    assert sizes.read(20.0).keys() == {0, 1, 2}
    sizes.close()


@pytest.mark.live
def test_what_a_secured_broker_refuses(
    secured: SecuredBroker, secured_topic: str, tmp_path: Path
) -> None:
    from tests.live.user_cluster import secured_broker
    from tests.live.user_cluster.secured_broker import MAY_NOTHING, MAY_READ, SECRET

    def said(user: str = MAY_READ, bootstrap: str = secured.bootstrap, **other: str) -> str:
        properties = client_properties.read(secured.properties(tmp_path / "p", user, **other))
        with pytest.raises(InputError) as caught:
            cluster_access.access(bootstrap, secured_topic, properties, 5.0)
        assert SECRET not in str(caught.value)
        return str(caught.value)

    assert said(MAY_NOTHING).startswith(f"no permission to describe topic '{secured_topic}'")
    wrong = secured_broker.login(f"{secured_broker.JAAS}.plain.PlainLoginModule", MAY_READ, "no")
    began = time.monotonic()
    assert "the login failed: SASL authentication error" in said(sasl_jaas_config=wrong)
    assert time.monotonic() - began < 4.5
    other = tmp_path / "other.pem"
    other.write_text("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
    assert "ssl.ca.location" in said(ssl_truststore_location=str(other))
    port = secured.bootstrap.rpartition(":")[2]
    assert "TLS failed: SSL handshake failed" in said(bootstrap=f"127.0.0.1:{port}")
    assert "connecting to a PLAINTEXT broker" in said(bootstrap=secured.cluster.bootstrap)


@pytest.mark.unit
def test_other_clusters_do_not_listen_on_the_port_of_the_secured_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import nullcontext
    from types import SimpleNamespace

    from live.kafka import broker_settings
    from tests.live.user_cluster import secured_broker

    original = broker_settings.server_properties
    cluster = nullcontext(SimpleNamespace(bootstrap=CLOSED))
    monkeypatch.setattr(secured_broker, "Cluster", lambda folder: cluster)
    monkeypatch.setattr(secured_broker, "_grant", lambda bootstrap: None)
    monkeypatch.setattr(secured_broker, "_certificate", lambda folder: (folder, folder))
    with secured_broker.started(tmp_path / "broker"):
        assert broker_settings.server_properties is original
