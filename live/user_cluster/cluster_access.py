"""A topic of a user's cluster, checked before anything is read: reachable, known, allowed."""

from __future__ import annotations

import difflib
import time
from concurrent.futures import TimeoutError as OutOfTime
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient

from live.login.client_properties import ClientProperties
from live.user_cluster.connection_faults import ConnectionFaults
from pipeline.base.errors import InputError
from pipeline.base.text import broker_addresses
from pipeline.base.text.printable import printable
from pipeline.base.text.quoting import named

if TYPE_CHECKING:
    from live.speeds.log_sizes import LogSizes

REACH_SECONDS = 10.0
"""Time within which a broker must answer."""

REFUSED_SECONDS = 3.0
"""The same, once a broker has refused the login or TLS: another one may accept it."""

CALL_SECONDS = 5.0
"""Time limit of one call."""

_UNKNOWN = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_EXCEPTION)


@dataclass(frozen=True)
class TopicAccess:
    """A topic, and the way to it."""

    bootstrap: str
    """Addresses of the brokers, ``host:port,…``."""
    topic: str
    """Name of the topic."""
    partitions: int
    """Its number of partitions."""
    properties: ClientProperties
    """Settings of the clients."""
    client: AdminClient = field(repr=False)
    """Client for questions about the cluster."""


def check_bootstrap(option: str | None, properties: ClientProperties) -> str:
    """Addresses of option or file. Raises InputError without, or if one is not ``HOST:PORT``."""
    bootstrap = option or properties.bootstrap
    if not bootstrap:
        raise InputError("`--bootstrap` is missing; give it as HOST:PORT of a broker")
    addresses = broker_addresses.listed(bootstrap)
    if addresses is None:
        raise InputError(
            "`--bootstrap` must be HOST:PORT, several separated by commas, at most "
            f"{broker_addresses.MOST} (got {named(bootstrap)})"
        )
    return addresses


def access(
    bootstrap: str, topic: str, properties: ClientProperties, seconds: float = REACH_SECONDS
) -> TopicAccess:
    """Connect to a cluster and find a topic; nothing is created.

    seconds: Time within which a broker must answer.
    Raises InputError if no broker answers, the login or the encryption fails, the topic does not
        exist, or the user may not see it.
    """
    client, names = reached(bootstrap, properties, seconds)
    return TopicAccess(bootstrap, topic, _partitions(client, topic, names), properties, client)


class Reached(NamedTuple):
    """A client of a cluster that has answered, and the topics that its user may see."""

    client: AdminClient
    topics: list[str]


def reached(
    bootstrap: str, properties: ClientProperties, seconds: float = REACH_SECONDS
) -> Reached:
    """Connect to a cluster.

    Raises InputError if no broker answers, or the login or the encryption fails.
    """
    faults = ConnectionFaults()
    client = unconnected(bootstrap, properties, faults)
    return Reached(client, _topics(client, bootstrap, faults, seconds))


def log_sizes(to: TopicAccess, seconds: float = REACH_SECONDS) -> LogSizes:
    """A reader of the topic's log sizes, read once. Raises InputError if no broker has them."""
    # A second client, of kafka-python: most commands do without it.
    from live.speeds.log_sizes import LogSizes

    sizes = LogSizes(to.bootstrap, to.topic, to.properties.kafka_python)
    if sizes.read(seconds):
        return sizes
    sizes.close()
    raise InputError(
        f"no broker reports the size of the logs of topic {to.topic!r} within {seconds:g} s; the "
        "user needs the right Describe on the cluster (kafka-acls --add --operation Describe "
        "--cluster), and all brokers must be reachable at their advertised addresses"
    )


def client_settings(bootstrap: str, properties: ClientProperties) -> dict[str, Any]:
    """Settings of any client of confluent-kafka for a user's cluster."""
    return {
        **properties.confluent,
        "bootstrap.servers": bootstrap,
        "socket.timeout.ms": int(CALL_SECONDS * 1000),
        "reconnect.backoff.ms": 100,
        "reconnect.backoff.max.ms": 1000,
        # Faults are reported by the commands; the library would write a line about each attempt.
        "log_level": 0,
    }


def unconnected(
    bootstrap: str, properties: ClientProperties, faults: ConnectionFaults
) -> AdminClient:
    """A client that has not reached a broker. Raises InputError if its settings are not valid."""
    settings = client_settings(bootstrap, properties)
    settings["error_cb"] = faults.note
    try:
        return AdminClient(settings)
    except KafkaException as error:
        # The library names the setting, and reads keys and certificates here.
        raise InputError(f"the client's settings are not valid: {_said(error)}") from None


def _topics(
    client: AdminClient, bootstrap: str, faults: ConnectionFaults, seconds: float
) -> list[str]:
    """Names of all topics that the user may see."""
    began, wait_s = time.monotonic(), 1.0
    while True:
        passed_s = time.monotonic() - began
        if passed_s >= (min(seconds, REFUSED_SECONDS) if faults.are_final else seconds):
            raise InputError(faults.message(bootstrap, seconds))
        try:
            left_s = max(seconds - passed_s, 0.1)
            return list(client.list_topics(timeout=min(wait_s, left_s)).topics)
        except KafkaException:
            client.poll(0)
        # Fast near by, and patient with a cluster that is far away or has many topics.
        wait_s *= 2


def _partitions(client: AdminClient, topic: str, names: list[str]) -> int:
    """Number of partitions; asks for a description, since other requests may create topics."""
    try:
        future = client.describe_topics(TopicCollection([topic]), request_timeout=CALL_SECONDS)[
            topic
        ]
        return len(future.result(CALL_SECONDS + 1).partitions)
    except (KafkaException, OutOfTime, ValueError) as error:
        raise InputError(_topic_error(topic, names, error)) from None


def _topic_error(topic: str, names: list[str], error: Exception) -> str:
    inner = error.args[0] if isinstance(error, KafkaException) else None
    code = inner.code() if isinstance(inner, KafkaError) else None
    if code == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        return (
            f"no permission to describe topic {topic!r}; the user needs the right Describe on it "
            "(kafka-acls --add --operation Describe --topic …)"
        )
    if code in _UNKNOWN:
        near = difflib.get_close_matches(topic, names, n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        return f"topic {topic!r} does not exist on this cluster{hint}"
    return f"cannot describe topic {topic!r}: {_said(error)}"


def _said(error: Exception) -> str:
    inner = error.args[0] if error.args else error
    return printable(inner.str() if isinstance(inner, KafkaError) else str(inner) or "no answer")
