"""Questions and orders to a cluster, through both Python clients and Kafka's own tools.

Every call connects again: kafka-python keeps the controller that it saw first, and brokers go.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple, Protocol, TypeVar

from confluent_kafka import ElectionType, KafkaError, KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from kafka import TopicPartition
from kafka.errors import KafkaError as ClientError

from live.brokers import throttles, tool_jars
from live.brokers.scaling_controller import CORDON, LOOK_SECONDS, ScalingFailed
from live.brokers.throttles import Change, Resource
from live.brokers.tool_jars import ToolFailed
from live.groups import client_internals
from live.kafka import admin_client
from live.login.client_properties import ClientProperties
from live.speeds.log_sizes import aside, connected
from live.user_cluster import cluster_placement
from live.user_cluster.cluster_placement import NOT_A_TOPIC, ClusterPlacement
from live.user_cluster.replica_logs import Partition

T = TypeVar("T")

SECONDS = 30.0
"""Time limit of an order."""

FOLLOWS_MS = 5000
"""A KRaft controller follows if it had all metadata this long ago, ms; it has every 0.5 s."""

_UNANSWERED = (
    KafkaError._TIMED_OUT,
    KafkaError._TRANSPORT,
    KafkaError.REQUEST_TIMED_OUT,
)

_PROPOSED = "Proposed partition reassignment configuration"
"""Head of the plan in the output of ``kafka-reassign-partitions --generate``."""

_KINDS = {throttles.BROKER: ResourceType.BROKER, throttles.TOPIC: ResourceType.TOPIC}


class Reach(Protocol):
    """How to reach a cluster; its brokers change."""

    @property
    def bootstrap(self) -> str:
        """Addresses of brokers that run."""

    @property
    def controller_addresses(self) -> str:
        """Where the KRaft controllers listen, ``host:port,…``."""

    @property
    def properties(self) -> ClientProperties:
        """The login."""

    @property
    def client_file(self) -> Path:
        """File with the login."""

    @property
    def java(self) -> Path:
        """Program that runs Kafka's tools."""

    @property
    def jars(self) -> Path:
        """Folder of the brokers' JARs."""


class Quorum(NamedTuple):
    """KRaft controllers, as the active one says."""

    active: int
    """Its id; -1 while there is none."""
    is_whole: bool
    """Whether all others follow it."""


class BrokerAdmin:
    """The `Admin` of a cluster."""

    def __init__(self, cluster: Reach) -> None:
        self._cluster = cluster

    def brokers(self) -> list[int]:
        """Brokers that are registered and answer."""
        return sorted(self._metadata().brokers)

    def placement(self) -> ClusterPlacement:
        """Replicas of all topics. Raises InputError while partitions move."""
        return cluster_placement.read(self._cluster.bootstrap, self._cluster.properties)

    def lists(self) -> dict[Partition, tuple[int, ...]]:
        """Brokers of all partitions, the preferred leader first."""
        return {
            (name, number): tuple(each.replicas)
            for name, topic in self._metadata().topics.items()
            for number, each in topic.partitions.items()
        }

    def leaders(self) -> dict[Partition, int]:
        """Leader of each partition; -1 without one."""
        return {
            (name, number): each.leader
            for name, topic in self._metadata().topics.items()
            for number, each in topic.partitions.items()
        }

    def logs(self, broker: int) -> set[Partition]:
        """Logs on a broker, except that of the controllers."""
        folders = self._asked(lambda client: client_internals.log_dirs(client, broker))
        return {
            (topic["name"], each["partition_index"])
            for folder in folders
            for topic in folder["topics"]
            for each in topic["partitions"]
            if topic["name"] != NOT_A_TOPIC
        }

    def moving(self) -> set[Partition]:
        """Partitions whose reassignment is under way."""
        found = self._asked(lambda client: client.list_partition_reassignments())
        return {(each.topic, each.partition) for each in found}

    def quorum(self) -> Quorum:
        """Which KRaft controller is active."""
        answer = self._asked(lambda client: client.describe_metadata_quorum())
        metadata = answer["topics"][0]["partitions"][0]
        times = {
            each["replica_id"]: each["last_caught_up_timestamp"]
            for each in metadata["current_voters"]
        }
        active = metadata["leader_id"]
        # The active one's own time is the present.
        is_whole = active in times and times[active] - min(times.values()) <= FOLLOWS_MS
        return Quorum(active, is_whole)

    def reassign(self, lists: Mapping[Partition, Iterable[int] | None]) -> None:
        """Order moves; None cancels one. Raises ScalingFailed if the cluster refuses one."""
        if not lists:
            return
        orders = {
            TopicPartition(*one): None if row is None else list(row) for one, row in lists.items()
        }
        answers = self._asked(lambda client: client.alter_partition_reassignments(orders))
        for one, error in answers.items():
            # A move that has ended meanwhile has nothing left to cancel.
            if error is not None and error.__name__ != "NoReassignmentInProgressError":
                raise ScalingFailed(
                    f"the cluster does not move {one.topic}-{one.partition}: {error.__name__}"
                )

    def configure(self, changes: Mapping[Resource, Change]) -> None:
        """Change dynamic configurations. Raises ScalingFailed if the cluster refuses one."""
        client = self._client()
        # A request goes to the broker that it is about, so that it has one at most.
        for resource, change in changes.items():
            asked = [_altered(resource, change)]
            (future,) = client.incremental_alter_configs(asked, request_timeout=SECONDS).values()
            _result(future, f"configuration of {resource.kind} {resource.name}")

    def cordon(self, broker: int) -> bool:
        """Keep new replicas away from a broker; False if its cluster cannot."""
        resource = _altered(Resource(throttles.BROKER, str(broker)), {CORDON: "*"})
        client = self._client()
        (future,) = client.incremental_alter_configs([resource]).values()
        try:
            future.result(SECONDS)
        except KafkaException as error:
            if error.args[0].code() in (KafkaError.INVALID_CONFIG, KafkaError.INVALID_REQUEST):
                return False
            raise ScalingFailed(f"cannot cordon broker {broker}: {error.args[0].str()}") from error
        return True

    def elect(self) -> None:
        """Order that preferred leaders lead. Raises ScalingFailed if the cluster refuses it.

        An order that is not answered in time may still be carried out.
        """
        client = self._client()
        # The client fails if this call gets a time limit.
        future = client.elect_leaders(ElectionType.PREFERRED, None)
        try:
            future.result(SECONDS)
        except OutOfTime:
            return
        except KafkaException as error:
            if error.args[0].code() not in _UNANSWERED:
                raise ScalingFailed(f"no leaders are elected: {error.args[0].str()}") from error

    def unregister(self, broker: int) -> None:
        """Forget a broker that has ended. Raises ToolFailed if that fails."""
        try:
            self._tool(
                "org.apache.kafka.tools.ClusterTool",
                *("unregister", "--bootstrap-server", self._cluster.bootstrap),
                *("--id", str(broker), "--config", str(self._cluster.client_file)),
            )
        except ToolFailed as error:
            # A controller that died had it done already.
            if "BrokerIdNotRegistered" not in str(error):
                raise

    def clear(self, broker: int, names: Iterable[str]) -> None:
        """Delete dynamic configurations of a broker that has ended and is still registered.

        Only KRaft controllers take these, and no Python client speaks to them.
        Raises ToolFailed if that fails.
        """
        for name in names:
            self._tool(
                "org.apache.kafka.tools.ConfigCommand",
                *("--bootstrap-controller", self._cluster.controller_addresses),
                *("--command-config", str(self._cluster.client_file), "--alter"),
                *("--entity-type", "brokers", "--entity-name", str(broker)),
                *("--delete-config", name),
            )

    def generated(
        self, topics: Iterable[str], brokers: Iterable[int]
    ) -> dict[Partition, tuple[int, ...]]:
        """Brokers of all partitions of topics as Kafka's own tool would place them again.

        Raises ToolFailed if it does not plan.
        """
        asked = {"version": 1, "topics": [{"topic": topic} for topic in sorted(topics)]}
        with NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            file.write(json.dumps(asked))
            file.flush()
            output = self._tool(
                "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
                *("--bootstrap-server", self._cluster.bootstrap),
                *("--command-config", str(self._cluster.client_file), "--generate"),
                *("--topics-to-move-json-file", file.name),
                *("--broker-list", ",".join(map(str, brokers))),
            )
        return proposed(output)

    def _tool(self, tool: str, *words: str) -> str:
        return tool_jars.call(self._cluster.java, self._cluster.jars, tool, words)

    def _client(self) -> AdminClient:
        to = self._cluster
        return admin_client.connect(to.bootstrap, to.properties.confluent)

    def _metadata(self) -> Any:
        """Metadata of a broker that answers."""
        client = self._client()
        try:
            return client.list_topics(timeout=SECONDS)
        except KafkaException as error:
            raise ScalingFailed(f"no broker answers: {error.args[0].str()}") from error

    def _asked(self, question: Callable[[Any], T]) -> T:
        """Answer of a new client of kafka-python.

        It is asked again for a while: brokers name one that was killed until its session is over.
        """
        to, until = self._cluster, time.monotonic() + 2 * SECONDS

        def ask() -> T:
            with closing(connected(to.bootstrap.split(","), to.properties.kafka_python)) as client:
                return question(client)

        while True:
            try:
                return aside(ask).result(2 * SECONDS)
            except OutOfTime:
                reason = f"no answer within {2 * SECONDS:.0f} s"
            except (ClientError, OSError) as error:
                reason = f"{type(error).__name__} {error}".strip()
            if time.monotonic() > until:
                raise ScalingFailed(f"the cluster does not answer ({reason})")
            time.sleep(LOOK_SECONDS)


def proposed(output: str) -> dict[Partition, tuple[int, ...]]:
    """The plan in what ``kafka-reassign-partitions --generate`` prints.

    Raises ToolFailed if there is none.
    """
    try:
        rows = json.loads(output.split(_PROPOSED, 1)[1])["partitions"]
        return {(row["topic"], row["partition"]): tuple(row["replicas"]) for row in rows}
    except (LookupError, ValueError, TypeError) as error:
        said = output.strip()[-200:]
        raise ToolFailed(f"Kafka's --generate does not print a plan: {said}") from error


def _altered(resource: Resource, change: Change) -> ConfigResource:
    entries = [
        ConfigEntry(
            name,
            value or "",
            incremental_operation=(
                AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET
            ),
        )
        for name, value in change.items()
    ]
    return ConfigResource(_KINDS[resource.kind], resource.name, incremental_configs=entries)


def _result(future: Any, title: str) -> None:
    try:
        future.result(2 * SECONDS)
    except OutOfTime:
        raise ScalingFailed(f"{title}: no answer") from None
    except KafkaException as error:
        raise ScalingFailed(f"{title}: {error.args[0].str()}") from error
