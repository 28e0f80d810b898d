"""A user's own cluster, on which runs write topics of their own and nothing else."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from confluent_kafka.admin import AdminClient
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from live.kafka.admin_client import CALL_SECONDS, look
from live.kafka.topic_settings import KINDS
from live.login.client_properties import ClientProperties
from live.user_cluster import cluster_access
from pipeline.base.errors import InputError

OLDEST = (4, 0)
"""Oldest version of Kafka that runs are made for: it has groups of KIP-848."""


@dataclass(frozen=True, slots=True)
class UserCluster:
    """Brokers that run already, and go on running."""

    bootstrap: str
    """Addresses, ``host:port,…``."""
    version: str
    """Version of Kafka, as the protocol's versions tell it."""

    @property
    def client_file(self) -> str:
        """None is made: the login is the user's own."""
        return ""

    def outage(self) -> str:
        """Nothing is known of its brokers: clients wait until they answer."""
        return ""


def opened(
    bootstrap: str, properties: ClientProperties, nodes: int, runs: Sequence[str]
) -> UserCluster:
    """Check a cluster before runs write to it; only reads.

    nodes: Replicas of each partition.
    runs: Names of the runs: their topics are ``gs.<run>.…``.
    Raises InputError if no broker answers, one is older than Kafka 4.0, there are fewer than
        replicas, or there are topics of one of the runs.
    """
    bootstrap = cluster_access.check_bootstrap(bootstrap, properties)
    client, topics = cluster_access.reached(bootstrap, properties, cluster_access.REACH_SECONDS)
    _check_topics(topics, runs)
    brokers = _brokers(client, bootstrap)
    if len(brokers) < nodes:
        raise InputError(
            f"`nodes` must be at most the number of brokers (got {nodes}, and {bootstrap} has "
            f"{len(brokers)}); choose nodes=1"
        )
    return UserCluster(bootstrap, _version(bootstrap, properties, brokers))


def _check_topics(topics: Sequence[str], runs: Sequence[str]) -> None:
    ours = {f"gs.{run}.{kind}" for run in runs for kind in KINDS}
    present = sorted(ours.intersection(topics))
    if present:
        raise InputError(
            f"topics of this run exist already ({', '.join(present)}); choose another --run-id, or "
            "delete them with `groupscale live clean --bootstrap …`"
        )


def _brokers(client: AdminClient, bootstrap: str) -> list[int]:
    view = look(client)
    if view is None:
        raise InputError(f"no Kafka broker answers at {bootstrap}; check --bootstrap")
    return sorted(view.brokers)


def _version(bootstrap: str, properties: ClientProperties, brokers: Sequence[int]) -> str:
    """Version of the oldest broker."""
    versions = versions_of(bootstrap, properties, brokers)
    broker, oldest = min(versions.items(), key=lambda item: item[1])
    version = ".".join(map(str, oldest))
    if oldest < OLDEST:
        raise InputError(
            f"`--bootstrap`: brokers must be Kafka {'.'.join(map(str, OLDEST))} or later (broker "
            f"{broker} of {bootstrap} is {version}); upgrade it, or run without --bootstrap"
        )
    return version


def versions_of(
    bootstrap: str, properties: ClientProperties, brokers: Sequence[int]
) -> Mapping[int, tuple[int, ...]]:
    """Version by broker, as kafka-python infers it. Raises InputError if one does not answer."""
    with admin(bootstrap, properties, "tell its version") as client:
        data = {broker: client.get_broker_version_data(broker) for broker in brokers}
    return {broker: each.broker_version for broker, each in data.items()}


@contextmanager
def admin(bootstrap: str, properties: ClientProperties, what: str) -> Iterator[Any]:
    """A client of kafka-python, which knows what librdkafka does not tell.

    what: What a broker does not do if it does not answer, for the message.
    Raises InputError if a broker does not answer: here and in the body.
    """
    logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
    client: Any = None
    try:
        client = KafkaAdminClient(
            bootstrap_servers=bootstrap.split(","),
            bootstrap_timeout_ms=int(cluster_access.REACH_SECONDS * 1000),
            request_timeout_ms=int(CALL_SECONDS * 1000),
            **properties.kafka_python,
        )
        yield client
    except (KafkaError, OSError) as error:
        raise InputError(
            f"a broker of {bootstrap} does not {what} ({type(error).__name__}); all brokers must "
            "be reachable at their advertised addresses"
        ) from None
    finally:
        if client is not None:
            client.close()
