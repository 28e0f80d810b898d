"""The login of a cluster of our own: made for it, and known to its user alone.

Its listeners are on the loopback address, which all users of a machine share. Without a login any
of them could write to the topics of a run, or delete them.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

USER = "groupscale"
"""The only user of such a cluster."""

CLIENT_FILE = "client.properties"
"""Name of the clients' file, in the cluster's folder."""

_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
_LISTENERS = ("plaintext", "controller")


def new_password() -> str:
    """A random password, of letters, digits, hyphens and underscores."""
    return secrets.token_urlsafe(32)


def server_settings(password: str) -> dict[str, str]:
    """Settings with which nodes want the login from clients, and from each other."""
    entry = f'{_MODULE} required username="{USER}" password="{password}" user_{USER}="{password}";'
    return {
        "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "sasl.mechanism.controller.protocol": "PLAIN",
        **{f"listener.name.{name}.plain.sasl.jaas.config": entry for name in _LISTENERS},
    }


def client_text(password: str) -> str:
    """Text of a client properties file, which Kafka's own tools read too."""
    return (
        "security.protocol=SASL_PLAINTEXT\n"
        "sasl.mechanism=PLAIN\n"
        f'sasl.jaas.config={_MODULE} required username="{USER}" password="{password}";\n'
    )


def write_private(file: Path, text: str) -> None:
    """Write a new file for its owner alone. Raises FileExistsError if there is one."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)
