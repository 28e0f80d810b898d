"""A broker with a second listener that wants TLS and a login, and rights for each user."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from live.kafka import admin_client, broker_settings
from live.kafka.broker_cluster import Cluster
from live.kafka.broker_settings import NodePorts
from live.kafka.reserved_ports import HOST, reserved

SECRET = 'q\\u"e; s=t0'
"""Password of all users."""

MAY_READ, MAY_NO_GROUP, MAY_NOT_DESCRIBE, MAY_NOTHING = "reader", "alone", "halfway", "nobody"
"""Users: the second one may not describe groups, the third one not the cluster."""

MAY_RUN = "runner"
"""User that may do everything with topics, groups and transactions ``gs.…``, and nothing else."""

JAAS = "org.apache.kafka.common.security"


@dataclass(frozen=True)
class SecuredBroker:
    """The cluster, and where its users connect.

    Attributes
    ----------
    cluster
        Its usual listener is without TLS and login, and may do everything.
    bootstrap
        The other one.
    authority
        PEM file of its certificate.
    """

    cluster: Cluster
    bootstrap: str
    authority: Path

    def properties(self, file: Path, user: str, mechanism: str = "PLAIN", **other: str) -> Path:
        """Write a client properties file as for Kafka's own tools."""
        module = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
        lines = {
            "security.protocol": "SASL_SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.authority),
            "sasl.mechanism": mechanism,
            "sasl.jaas.config": login(f"{JAAS}.{module}LoginModule", user, SECRET),
            **{key.replace("_", "."): value for key, value in other.items()},
        }
        file.write_text("".join(f"{key}={escaped(value)}\n" for key, value in lines.items()))
        return file


def login(module: str, user: str, password: str, users: Sequence[str] = ()) -> str:
    """Value of ``sasl.jaas.config``, for clients or brokers."""
    secret = password.replace("\\", "\\\\").replace('"', '\\"')
    options = "".join(f' user_{name}="{secret}"' for name in users)
    return f'{module} required username="{user}" password="{secret}"{options};'


def escaped(value: str) -> str:
    return value.replace("\\", "\\\\")


@contextmanager
def started(folder: Path) -> Iterator[SecuredBroker]:
    """Start the broker, and give the users their rights."""
    folder.mkdir()
    key, authority = _certificate(folder)
    with reserved(1) as (port,), ExitStack() as stack:
        original = broker_settings.server_properties

        def with_listener(
            node: int, ports: Sequence[NodePorts], data: Path, changes: Mapping[str, str]
        ) -> str:
            text = original(node, ports, data, {**changes, **_settings(ports[node - 1], port, key)})
            return text

        # Other clusters start while this one runs: they must not listen on its port.
        with patch.object(broker_settings, "server_properties", with_listener):
            cluster = stack.enter_context(Cluster(folder / "cluster"))
        _grant(cluster.bootstrap)
        yield SecuredBroker(cluster, f"localhost:{port}", authority)


def _settings(ports: NodePorts, port: int, key: Path) -> dict[str, str]:
    plain, secure = f"PLAINTEXT://{HOST}:{ports.broker}", f"SECURE://{HOST}:{port}"
    own = "listener.name.secure"
    everybody = [MAY_READ, MAY_NO_GROUP, MAY_NOT_DESCRIBE, MAY_NOTHING, MAY_RUN]
    return {
        "listeners": f"{plain},{secure},CONTROLLER://{HOST}:{ports.controller}",
        "advertised.listeners": f"{plain},SECURE://localhost:{port}",
        "listener.security.protocol.map": ",".join(
            ("PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT", "SECURE:SASL_SSL")
        ),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
        f"{own}.ssl.keystore.type": "PEM",
        f"{own}.ssl.keystore.location": str(key),
        f"{own}.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
        f"{own}.plain.sasl.jaas.config": login(
            f"{JAAS}.plain.PlainLoginModule", "broker", SECRET, everybody
        ),
        f"{own}.scram-sha-512.sasl.jaas.config": f"{JAAS}.scram.ScramLoginModule required;",
    }


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A PEM file of key and certificate for localhost, and one of the certificate alone."""
    key, authority, both = (folder / name for name in ("key.pem", "ca.pem", "both.pem"))
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout {key} -out {authority}"
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command.split(), *name], check=True, capture_output=True)
    both.write_text(key.read_text() + authority.read_text())
    return both, authority


def _grant(bootstrap: str) -> None:
    client = admin_client.connect(bootstrap)
    rights = [
        *(_right(user, ResourceType.BROKER, "kafka-cluster") for user in (MAY_READ, MAY_NO_GROUP)),
        *(_right(user, ResourceType.GROUP, "*") for user in (MAY_READ, MAY_NOT_DESCRIBE)),
        *(
            _right(user, ResourceType.TOPIC, "*")
            for user in (MAY_READ, MAY_NO_GROUP, MAY_NOT_DESCRIBE)
        ),
        _right(MAY_RUN, ResourceType.BROKER, "kafka-cluster"),
        *(_prefixed(MAY_RUN, kind) for kind in (ResourceType.TOPIC, ResourceType.GROUP)),
        _prefixed(MAY_RUN, ResourceType.TRANSACTIONAL_ID),
    ]
    for future in client.create_acls(rights).values():
        future.result(20)
    scram = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    password = UserScramCredentialUpsertion(MAY_READ, scram, SECRET.encode())
    for future in client.alter_user_scram_credentials([password]).values():
        future.result(20)


def _right(user: str, kind: ResourceType, name: str) -> AclBinding:
    pattern = ResourcePatternType.LITERAL
    who, allow = f"User:{user}", AclPermissionType.ALLOW
    return AclBinding(kind, name, pattern, who, "*", AclOperation.DESCRIBE, allow)


def _prefixed(user: str, kind: ResourceType) -> AclBinding:
    """All rights on names that begin as those of a run."""
    pattern, allow = ResourcePatternType.PREFIXED, AclPermissionType.ALLOW
    return AclBinding(kind, "gs.", pattern, f"User:{user}", "*", AclOperation.ALL, allow)
