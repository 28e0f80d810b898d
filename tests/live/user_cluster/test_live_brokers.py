"""``groupscale live brokers plan`` on brokers, executed and verified by Kafka's own tool."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from live.login.client_properties import NO_PROPERTIES
from live.user_cluster import cluster_placement
from live.user_cluster.cluster_placement import ClusterPlacement
from tests.live.user_cluster import user_topic
from tests.pipeline.cli.command import Home, call

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster.secured_broker import SecuredBroker

pytestmark = pytest.mark.live

TOOL = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
RECORDS = 200


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    from live.kafka.broker_cluster import Cluster

    cluster = Cluster(tmp_path_factory.mktemp("three") / "cluster", 3)
    # Three nodes need longer on a busy machine.
    cluster.start(240)
    yield cluster
    cluster.stop()
    cluster.discard_data()


@pytest.fixture(scope="module")
def tool() -> str:
    """Class path of Kafka's tools."""
    from tools.bench.placement import generated_plans
    from tools.layout import here
    from tools.setup import java

    home = java.find()
    assert home is not None
    return generated_plans.class_path(here(), home)


def kafka(tool: str, cluster: Cluster, file: Path, word: str) -> str:
    words = ("--bootstrap-server", cluster.bootstrap, "--reassignment-json-file", str(file), word)
    command = ["java", "-Xmx128m", "-cp", tool, TOOL, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def placement(cluster: Cluster) -> ClusterPlacement:
    return cluster_placement.read(cluster.bootstrap, NO_PROPERTIES)


def replicas(cluster: Cluster) -> Counter[int]:
    return Counter(b for row in placement(cluster).replicas.values() for b in row)


def create(cluster: Cluster, name: str, rows: list[list[int]]) -> None:
    from confluent_kafka.cimpl import NewTopic

    from live.kafka import admin_client

    client = admin_client.connect(cluster.bootstrap)
    topic = NewTopic(name, len(rows), replica_assignment=rows)
    client.create_topics([topic])[name].result(20)
    user_topic.fill(cluster.bootstrap, name, {0: RECORDS, 1: RECORDS}, size=1000)


def test_kafka_executes_and_verifies_the_plans(
    three: Cluster, tool: str, tmp_path: Path, home: Home
) -> None:
    create(three, "orders", [[1, 2], [2, 1], [1, 2], [2, 1], [1, 2], [2, 1]])
    before = placement(three)
    to = ("live", "brokers", "plan", "--bootstrap", three.bootstrap)
    assert before.replicas["orders", 0] == (1, 2)
    assert before.replicas["orders", 1] == (2, 1)
    assert before.sizes["orders", 0] > RECORDS * 1000
    up = tmp_path / "up.json"
    result = call(*to, "--add", "3", "-o", up)
    assert result.exit_code == 0, result.output
    assert "4 replicas to copy" in result.stdout
    # It has only planned, and does so for one file once.
    assert placement(three) == before
    assert call(*to, "--add", "3", "-o", up).exit_code == 2
    kafka(tool, three, up, "--execute")
    wait_until_verified(three, tool, up)
    assert replicas(three) == {1: 4, 2: 4, 3: 4}
    rows = [row for (name, _), row in placement(three).replicas.items() if name == "orders"]
    assert Counter(row[0] for row in rows) == {1: 2, 2: 2, 3: 2}
    again = call(*to, "--add", "3")
    assert "balanced already: nothing moves" in again.stdout
    down = tmp_path / "down.json"
    assert call(*to, "--remove", "3", "-o", down).exit_code == 0
    assert len(json.loads(down.read_text())["partitions"]) >= 4
    kafka(tool, three, down, "--execute")
    wait_until_verified(three, tool, down)
    assert replicas(three) == {1: 6, 2: 6}


def wait_until_verified(cluster: Cluster, tool: str, file: Path) -> None:
    from live.kafka import admin_client

    assert admin_client.waited_for(
        lambda: "is still in progress" not in kafka(tool, cluster, file, "--verify"), 60
    )


def test_what_the_cluster_lets_plan(three: Cluster, home: Home) -> None:
    to = ("live", "brokers", "plan", "--bootstrap", three.bootstrap)
    result = call(*to, "--remove", "9")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "the cluster has no such broker (brokers: 1, 2, 3)" in result.stderr
    result = call(*to, "--add", "4")
    assert result.exit_code == 0, result.output
    assert "Note: broker 4 does not answer yet" in result.stdout
    assert home.tree() == []


def test_all_topics_must_be_seen(
    secured: SecuredBroker, secured_topic: str, tmp_path: Path, home: Home
) -> None:
    """Else a broker could be called empty while it has replicas."""
    from tests.live.user_cluster.secured_broker import (
        MAY_NOT_DESCRIBE,
        MAY_READ,
        MAY_RUN,
        SECRET,
    )

    def said(user: str) -> tuple[int, str]:
        config = secured.properties(tmp_path / "client.properties", user)
        to = ("--bootstrap", secured.bootstrap, "--config", config)
        result = call("live", "brokers", "plan", *to, "--add", "2", "--debug")
        assert SECRET not in result.output
        return result.exit_code, result.output

    status, text = said(MAY_READ)
    assert status == 0, text
    assert "1 replica to copy" in text
    status, text = said(MAY_NOT_DESCRIBE)
    assert status == 2
    assert "the user needs the right Describe on the cluster" in text
    status, text = said(MAY_RUN)
    assert status == 2
    assert f"topics that the user may not see (1, such as {secured_topic})" in text
