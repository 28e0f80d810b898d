"""Brokers that join and leave a real cluster, with a controller that is killed in every phase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from live.brokers.elastic_choices import LEAST, PLANS
from live.brokers.scaling_journal import DONE, DOWN, UP, Scaling, ScalingJournal

if TYPE_CHECKING:
    from live.brokers.elastic_cluster import ElasticCluster

pytestmark = pytest.mark.live

RATE = 2**20
UP_PHASES = ("started", "planned", "throttled", "submitted", "moved", "verified", "elected")
DOWN_PHASES = ("cordoned", *UP_PHASES[1:], "stopped", "cleared", "unregistered")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ElasticCluster]:
    """Two brokers with a topic of eight partitions and 3 MiB."""
    from confluent_kafka import Producer
    from confluent_kafka.cimpl import NewTopic

    from live.brokers.elastic_cluster import ElasticCluster
    from live.kafka import admin_client

    with ElasticCluster(tmp_path / "cluster", 2, 3, 3, 2) as started:
        client = admin_client.connect(started.bootstrap, started.properties.confluent)
        topic = NewTopic("t", 8, 2, config={"min.insync.replicas": "1"})
        client.create_topics([topic])["t"].result(60)
        producer = Producer(
            {**started.properties.confluent, "bootstrap.servers": started.bootstrap}
        )
        for number in range(200):
            producer.produce("t", bytes(16_000), partition=number % 8)
        assert producer.flush(60) == 0
        yield started


def test_a_controller_that_is_killed_in_every_phase(
    cluster: ElasticCluster, tmp_path: Path
) -> None:
    from live.brokers.broker_admin import BrokerAdmin
    from live.brokers.scaling_owner import ScalingOwner
    from live.brokers.scaling_process import RESUME

    admin = BrokerAdmin(cluster)
    killed: list[tuple[int, str]] = []

    def watch(scaling: Scaling, phase: str) -> str | None:
        at = (scaling.number, phase)
        if phase == "unthrottled" or at in killed:
            return None
        killed.append(at)
        return RESUME

    with ScalingOwner(cluster, tmp_path / "run", RATE, LEAST) as owner:
        owner.scale(Scaling(1, UP, 3), watch)
        check(admin, {1, 2, 3})
        # Its id comes back with an empty folder.
        owner.scale(Scaling(2, DOWN, 1), watch)
        check(admin, {2, 3})
        owner.scale(Scaling(3, UP, 1))
        check(admin, {1, 2, 3})
        journal = ScalingJournal(owner.journal)
    assert [phase for number, phase in killed if number == 1] == list(UP_PHASES)
    assert [phase for number, phase in killed if number == 2] == list(DOWN_PHASES)
    assert [e["number"] for e in journal.entries if e["phase"] == DONE] == [1, 2, 3]
    planned = [e for e in journal.entries if e["phase"] == "planned"]
    assert all(entry["moves"] == entry["bound"] > 0 for entry in planned)


def check(admin: Any, brokers: set[int]) -> None:
    """Replicas are even, every partition is led by its preferred leader, no throttle is left."""
    from live.brokers.throttles import FOLLOWERS, LEADERS

    lists, leaders = admin.lists(), admin.leaders()
    assert set(admin.brokers()) == brokers
    counts = Counter(broker for row in lists.values() for broker in row)
    assert set(counts) == brokers
    assert max(counts.values()) - min(counts.values()) <= 1
    assert {one: row[0] for one, row in lists.items()} == leaders
    assert not admin.moving()
    assert {LEADERS, FOLLOWERS}.isdisjoint(set_names(admin, "topic", "t"))
    for broker in brokers:
        names = set_names(admin, "broker", str(broker))
        assert not {name for name in names if "throttled" in name or "cordoned" in name}


def set_names(admin: Any, kind: str, name: str) -> set[str]:
    """Names of configurations that are set for a resource."""
    from confluent_kafka.admin import ConfigResource, ConfigSource

    kinds = {"topic": ConfigResource.Type.TOPIC, "broker": ConfigResource.Type.BROKER}
    client = admin._client()  # Its answers end with it.
    (future,) = client.describe_configs([ConfigResource(kinds[kind], name)]).values()
    dynamic = (ConfigSource.DYNAMIC_TOPIC_CONFIG.value, ConfigSource.DYNAMIC_BROKER_CONFIG.value)
    return {key for key, entry in future.result(30).items() if entry.source in dynamic}


OUTCOMES = {
    "killed": "done",
    "cancelled": "cancelled",
    "kraft-controller-killed": "done",
    "disk-full": "done",
    "disk-stays-full": "undone",
}


@pytest.mark.parametrize("fault", OUTCOMES)
def test_faults_while_partitions_move(tmp_path: Path, fault: str) -> None:
    """Nothing that was acknowledged is lost, and no partition is without a leader at the end."""
    from live.brokers import elastic_run
    from live.brokers.elastic_choices import ElasticChoices
    from pipeline.experiments.brokers.evidence import broker_evidence, scaling_rows

    choices = ElasticChoices(
        kraft_controllers=3,
        scalings=4,
        records_per_s=100.0,
        # An election takes about 2.6 s, and partitions are to move meanwhile.
        preload_mib=72.0 if fault == "kraft-controller-killed" else 24.0,
        throttle_mib_s=1.5,
        still_s=1.0,
    )
    elastic_run.run(choices, [fault], 1, tmp_path / "run")
    check_records(tmp_path / "run")
    evidence = broker_evidence.read(tmp_path / "run")
    rows = list(scaling_rows.rows(evidence, choices.least_brokers))
    # Brokers that leave have no fault of disks.
    hit = [None, fault, None, fault if rows[3]["kind"] == "up" or "disk" not in fault else None]
    assert [row["fault"] for row in rows] == hit
    assert [row["outcome"] for row in rows] == [OUTCOMES.get(one or "", "done") for one in hit]
    assert rows[1]["restarts"] == (fault in ("killed", "disk-full"))
    assert all(row["leaderless"] == 0 for row in rows)
    check_elections(evidence.pauses, 2 if fault == "kraft-controller-killed" else 0)
    assert not [one for one in tmp_path.rglob("*") if one.is_mount()]
    assert not (tmp_path / "run" / "cluster" / "client.properties").exists()


def check_elections(lines: Sequence[Mapping[str, Any]], count: int) -> None:
    """Another KRaft controller was elected each time, while partitions still moved."""
    elections = [line for line in lines if line["kind"] == "elected"]
    assert len(elections) == count
    for one in elections:
        # Brokers have ids 1 to 5.
        assert {one["killed"], one["active"]} < {6, 7, 8}
        assert one["killed"] != one["active"]
        assert one["moving"] > 0


def check_records(folder: Path) -> None:
    """Nothing that was acknowledged is lost."""
    from pipeline.experiments.brokers.evidence import broker_evidence, loss_rows

    for row in loss_rows.rows(broker_evidence.read(folder)):
        assert (row["lost"], row["drained"]) == (0, True)
        assert row["acknowledged"] > 1000


@pytest.mark.parametrize("planner", PLANS)
def test_plans_of_each_kind_at_replication_1(tmp_path: Path, planner: str) -> None:
    from live.brokers import elastic_run
    from live.brokers.elastic_choices import ElasticChoices
    from pipeline.experiments.brokers.evidence import broker_evidence, scaling_rows

    choices = ElasticChoices(
        scalings=4,
        planner=planner,
        replication=1,
        records_per_s=100.0,
        preload_mib=8.0,
        still_s=1.0,
    )
    elastic_run.run(choices, [], 1, tmp_path / "run")
    check_records(tmp_path / "run")
    rows = list(scaling_rows.rows(broker_evidence.read(tmp_path / "run"), choices.least_brokers))
    assert [row["after"] for row in rows] == [4, 5, 4, 3]
    assert all(row["leaderless"] == 0 and row["moves"] >= row["bound"] for row in rows)
    if planner == LEAST:
        assert all(row["moves"] == row["bound"] and row["replica_spread"] <= 1 for row in rows)
