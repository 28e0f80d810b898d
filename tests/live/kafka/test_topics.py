"""A run has six topics, its own, and calls about them end in time."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka.admin import ConfigResource, ResourceType

from live.kafka import admin_client, topics
from live.kafka.broker_cluster import Cluster
from live.live_settings import LiveSettings
from pipeline.base.errors import InputError, StageError
from tests.live.kafka_probe import run_settings

pytestmark = pytest.mark.live


@pytest.fixture
def settings(broker: Cluster, tmp_path: Path) -> LiveSettings:
    """A new run, named like the beginning of another one."""
    return run_settings(broker.bootstrap, tmp_path)


def configs(bootstrap: str, topic: str) -> dict[str, str]:
    client = admin_client.connect(bootstrap)
    resource = ConfigResource(ResourceType.TOPIC, topic)
    (future,) = client.describe_configs([resource]).values()
    return {name: entry.value for name, entry in future.result(10).items()}


def test_they_are_created_listed_and_deleted(settings: LiveSettings) -> None:
    other = replace(settings, run=f"{settings.run}.data")
    topics.create(other)
    began = time.monotonic()
    topics.create(settings, retention_bytes=50_000_000)
    print(f"\ncreated in {time.monotonic() - began:.2f} s")
    names = [settings.topic(kind) for kind in topics.KINDS]
    assert topics.of_run(settings.bootstrap, settings.run) == names
    assert {settings.run, other.run} <= set(topics.runs(settings.bootstrap))
    view = admin_client.look(admin_client.connect(settings.bootstrap))
    assert view is not None
    assert [len(view.leaders[name]) for name in names] == [4, 1, 50, 1, 1, 1]
    assert topics.delete(settings.bootstrap, settings.run) == names
    assert topics.of_run(settings.bootstrap, settings.run) == []
    assert len(topics.of_run(settings.bootstrap, other.run)) == len(topics.KINDS)
    assert topics.delete(settings.bootstrap, settings.run) == []
    topics.delete(settings.bootstrap, other.run)


def test_their_settings(settings: LiveSettings) -> None:
    topics.create(settings, retention_bytes=50_000_000)
    data = configs(settings.bootstrap, settings.topic("data"))
    assert data["retention.bytes"] == "50000000"
    assert data["segment.bytes"] == "2400000"
    policies = {
        kind: configs(settings.bootstrap, settings.topic(kind))["cleanup.policy"]
        for kind in topics.KINDS
    }
    assert {kind for kind, policy in policies.items() if policy == "compact"} == {
        "state",
        "progress",
    }
    topics.delete(settings.bootstrap, settings.run)


def test_topics_of_the_same_run_are_refused(settings: LiveSettings) -> None:
    topics.create(settings)
    with pytest.raises(InputError, match=r"topics of run 'test-.*' exist already \(gs\..*\.data,"):
        topics.create(settings)
    assert len(topics.of_run(settings.bootstrap, settings.run)) == len(topics.KINDS)
    topics.delete(settings.bootstrap, settings.run)


def test_a_failure_leaves_none(settings: LiveSettings) -> None:
    """A cluster of one node cannot have three replicas."""
    with pytest.raises(StageError, match=r"cannot create topic gs\..*eplication factor"):
        topics.create(replace(settings, nodes=3))
    assert topics.of_run(settings.bootstrap, settings.run) == []


def test_nobody_answers(tmp_path: Path) -> None:
    """Neither a port without a server nor one that never answers makes a call hang."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for address in (f"127.0.0.1:{port}", "127.0.0.1:1"):
            began = time.monotonic()
            with pytest.raises(
                InputError, match=f"no Kafka broker answers at {address} within 5 s"
            ):
                topics.create(run_settings(address, tmp_path))
            assert time.monotonic() - began < 15.0
