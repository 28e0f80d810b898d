"""KIP-169 in a group of kafka-python's consumers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaConsumer
from kafka.coordinator.consumer import ConsumerCoordinator
from kafka.errors import KafkaConfigurationError
from kafka.structs import TopicPartition

from algorithms.assignment import assignors
from live.user_cluster.lag_based_assignor import LagBasedAssignor, Offsets
from tests import guides

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster

WAIT_S = 40.0


class Known(LagBasedAssignor):
    """An assignor whose offsets are known."""

    offsets = Offsets({}, {}, {})

    def _offsets(self, partitions: Sequence[TopicPartition]) -> Offsets:
        assert set(partitions) == set(self.offsets.end)
        return self.offsets


def cluster(partitions: Mapping[str, set[int]]) -> Any:
    return SimpleNamespace(partitions_for_topic=partitions.get)


def member(name: str, *topics: str) -> Any:
    return SimpleNamespace(member_id=name, metadata=SimpleNamespace(topics=list(topics)))


def assigned(parts: Mapping[str, Any]) -> dict[str, list[tuple[str, int]]]:
    """Partitions by member, after encoding and decoding."""
    decoded = {name: type(each).decode(each.encode()) for name, each in parts.items()}
    return {name: sorted(map(tuple, each.partitions())) for name, each in decoded.items()}


def offsets(topic: str, rows: Sequence[tuple[int | None, int, int]]) -> Offsets:
    """From (committed, begin, end) of each partition."""
    keys = [TopicPartition(topic, p) for p in range(len(rows))]
    triples = list(zip(keys, rows, strict=True))
    return Offsets(
        {key: row[0] for key, row in triples if row[0] is not None},
        {key: row[1] for key, row in triples if row[0] is None},
        {key: row[2] for key, row in triples},
    )


@pytest.mark.unit
def test_the_example_of_the_proposal() -> None:
    assignor = Known(group_id="g")
    assignor.offsets = offsets("t0", [(0, 0, 100_000), (40_000, 0, 100_000), (0, 0, 50_000)])
    parts = assignor.assign(cluster({"t0": {0, 1, 2}}), [member("C0", "t0"), member("C1", "t0")])
    assert assigned(parts) == {"C0": [("t0", 0)], "C1": [("t0", 1), ("t0", 2)]}


@pytest.mark.unit
@pytest.mark.parametrize(
    ("reset", "heavy"),
    [({}, 0), ({"auto_offset_reset": "latest"}, 0), ({"auto_offset_reset": "earliest"}, 1),
     ({"auto_offset_reset": "none"}, 1)],
)  # fmt: skip
def test_lag_without_a_committed_offset(reset: dict[str, str], heavy: int) -> None:
    assignor = Known(group_id="g", **reset)
    assignor.offsets = offsets("t", [(5, 0, 10), (None, 20, 100)])
    parts = assignor.assign(cluster({"t": {0, 1}}), [member("a", "t"), member("b", "t")])
    assert assigned(parts)["a"] == [("t", heavy)]


@pytest.mark.unit
def test_topics_without_metadata_or_members(caplog: pytest.LogCaptureFixture) -> None:
    assignor = Known(group_id="g")
    members = [member("a", "t", "new"), member("b")]
    assignor.offsets = offsets("t", [(0, 0, 1)])
    assert assigned(assignor.assign(cluster({"t": {0}}), members)) == {"a": [("t", 0)], "b": []}
    assert "no metadata of topic new" in caplog.text
    assert assigned(assignor.assign(cluster({}), members)) == {"a": [], "b": []}


@pytest.mark.unit
def test_settings() -> None:
    with pytest.raises(KafkaConfigurationError, match="group_id is required"):
        LagBasedAssignor(bootstrap_servers="b:1")
    made = LagBasedAssignor(
        bootstrap_servers="b:1", group_id="g", client_id="x", max_poll_records=5, ssl_cafile="ca"
    )
    assert made._settings == {
        "bootstrap_servers": "b:1",
        "client_id": "g.assignor",
        "ssl_cafile": "ca",
        "request_timeout_ms": 10_000,
        "bootstrap_timeout_ms": 10_000,
    }
    assert made.metadata({"t"}).topics == ["t"]
    assert [p.name for p in made.supported_protocols()] == ["EAGER"]
    assert callable(ConsumerCoordinator._perform_assignment)


@pytest.mark.unit
def test_the_example_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its settings are those of consumers, and reach the assignor."""
    made: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    monkeypatch.setattr(
        "kafka.KafkaConsumer", lambda *topics, **config: made.append((topics, config))
    )
    exec(guides.block("docs/own-cluster.md", "from kafka"), {})
    ((topics, config),) = made
    assert topics == ("orders",)
    assert config.keys() <= KafkaConsumer.DEFAULT_CONFIG.keys()
    (assignor,) = config["partition_assignment_strategy"]
    assert (assignor._group, assignor._reset) == (config["group_id"], config["auto_offset_reset"])
    assert assignor._settings["bootstrap_servers"] == config["bootstrap_servers"]


@contextmanager
def polling(consumer: Any) -> Iterator[None]:
    """Poll a consumer in a thread."""
    over = threading.Event()

    def poll() -> None:
        while not over.is_set():
            consumer.poll(100)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(WAIT_S)
        consumer.close(autocommit=False, timeout_ms=5000)


def shares(consumers: Sequence[Any]) -> dict[str, list[tuple[str, int]]]:
    return {
        each.group_metadata().member_id: sorted(map(tuple, each.assignment())) for each in consumers
    }


def are_settled(consumers: Sequence[Any], every: Sequence[tuple[str, int]]) -> bool:
    """Whether all are in the same generation, and have all partitions."""
    generations = {each.group_metadata().generation_id for each in consumers}
    rows = sorted(row for rows in shares(consumers).values() for row in rows)
    return len(generations) == 1 and all(shares(consumers).values()) and rows == [*every]


@pytest.mark.live
def test_a_group_gets_what_the_simulator_assigns(broker: Cluster) -> None:
    from tests.live.user_cluster import user_topic

    boot, group = broker.bootstrap, f"lag-{time.monotonic_ns()}"
    with (
        user_topic.user_topic(boot, 5) as first,
        user_topic.user_topic(boot, 4) as second,
        ExitStack() as stack,
    ):
        user_topic.fill(boot, first, {0: 300, 1: 250, 2: 200, 3: 150, 4: 100})
        user_topic.fill(boot, second, {0: 10, 1: 400, 2: 390, 3: 20})
        user_topic.commit(boot, group, first, {0: 290, 1: 0, 2: 20, 3: 145})
        user_topic.commit(boot, group, second, {1: 100})
        # Partition 4 of the first topic and three of the second have no committed offset.
        lags = {
            first: {0: 10, 1: 250, 2: 180, 3: 5, 4: 100},
            second: {0: 10, 1: 300, 2: 390, 3: 20},
        }
        settings = {
            "bootstrap_servers": boot,
            "group_id": group,
            "auto_offset_reset": "earliest",
        }
        consumers = [
            KafkaConsumer(
                first,
                second,
                enable_auto_commit=False,
                heartbeat_interval_ms=300,
                session_timeout_ms=6000,
                partition_assignment_strategy=[LagBasedAssignor(**settings)],
                **settings,
            )
            for _ in range(3)
        ]
        for consumer in consumers:
            stack.enter_context(polling(consumer))
        every = sorted((topic, p) for topic in lags for p in lags[topic])
        until = time.monotonic() + WAIT_S
        while not are_settled(consumers, every):
            assert time.monotonic() < until, shares(consumers)
            time.sleep(0.2)
        by_consumer = shares(consumers)
    both = dict.fromkeys(by_consumer, (first, second))
    expected = assignors.lag_based(lags, both)
    assert by_consumer == {name: sorted(rows) for name, rows in expected.items()}
    assert by_consumer == simulated(lags, sorted(by_consumer))


def simulated(
    lags: Mapping[str, Mapping[int, int]], members: Sequence[str]
) -> dict[str, list[tuple[str, int]]]:
    """What a group in the simulator gets, whose ids are numbers."""
    owners: dict[str, list[tuple[str, int]]] = {name: [] for name in members}
    for topic, of in lags.items():
        placed = assignors.assign(
            "kip169", len(of), range(len(members)), [-1] * len(of), [*of.values()]
        )
        for partition, owner in enumerate(placed.tolist()):
            owners[members[owner]].append((topic, partition))
    return {name: sorted(rows) for name, rows in owners.items()}
