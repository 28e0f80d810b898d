"""Settings of Kafka clients for TLS and SASL, from a client properties file.

The file is that of Kafka's own tools (``--command-config``); librdkafka's names are understood too.
Secrets are in the two mappings only: no message and no text of an object has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from live.login import java_properties, login_settings, tls_settings
from live.login.stated_settings import StatedSettings

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")

IGNORED = (
    "key.serializer", "value.serializer", "key.deserializer", "value.deserializer",
    "enable.auto.commit", "auto.offset.reset", "group.id", "acks",
)  # fmt: skip
"""Settings of consumers and producers, which say nothing on the connection: no warning."""


@dataclass(frozen=True, slots=True)
class ClientProperties:
    """Settings of a file, in the terms of both clients."""

    confluent: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Settings of confluent-kafka. They may hold secrets."""
    kafka_python: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Settings of kafka-python. They may hold secrets."""
    bootstrap: str = ""
    """``bootstrap.servers`` of the file; empty without it."""
    warning: str = ""
    """One line that names the settings without effect; empty if all have one."""


_MOST_NAMED = 10

NO_PROPERTIES = ClientProperties()
"""No file: no TLS, no login."""


def read(file: Path) -> ClientProperties:
    """Read a client properties file.

    Raises
    ------
    InputError
        If the file or a setting is invalid; names file, line, key and remedy.
    """
    stated = StatedSettings(file, java_properties.read(file))
    protocol = _protocol(stated)
    confluent = {"security.protocol": protocol}
    kafka_python: dict[str, object] = {"security_protocol": protocol}
    for part in (
        tls_settings.translated(stated, protocol.endswith("SSL")),
        login_settings.translated(stated, protocol.startswith("SASL")),
    ):
        confluent |= part.confluent
        kafka_python |= part.kafka_python
    bootstrap = stated.text("bootstrap.servers")
    client_id = stated.text("client.id")
    if client_id:
        confluent["client.id"] = kafka_python["client_id"] = client_id
    return ClientProperties(confluent, kafka_python, bootstrap, _warning(stated))


def _protocol(stated: StatedSettings) -> str:
    key = "security.protocol"
    protocol = stated.text(key).upper() or "PLAINTEXT"
    if protocol not in PROTOCOLS:
        raise stated.error(key, f"must be one of {', '.join(PROTOCOLS)}")
    return protocol


def _warning(stated: StatedSettings) -> str:
    unknown = stated.unread(IGNORED)
    if not unknown:
        return ""
    names = ", ".join(unknown[:_MOST_NAMED])
    more = len(unknown) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"{stated.file}: settings without effect here: {names}{rest}"
