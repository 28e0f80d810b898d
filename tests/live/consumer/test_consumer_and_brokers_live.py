"""A consumer whose broker goes away, and how much it buffers."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.consumer.group_driver import GroupDriver

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def own_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster that tests may restart."""
    from live.kafka.broker_cluster import Cluster

    with Cluster(tmp_path_factory.mktemp("own") / "cluster") as cluster:
        yield cluster
    cluster.discard_data()


@pytest.fixture
def driver(own_broker: Cluster, tmp_path: Path) -> Iterator[GroupDriver]:
    from live.kafka import topics
    from tests.live.consumer.group_driver import GroupDriver
    from tests.live.kafka_probe import run_settings

    run = run_settings(own_broker.bootstrap, tmp_path, partitions=2)
    settings = dataclasses.replace(run, lease_s=4.0)
    topics.create(settings)
    with GroupDriver(settings) as made:
        yield made


@pytest.mark.parametrize("way", ["restart", "kill"])
def test_it_goes_on_when_the_broker_is_back(
    own_broker: Cluster, driver: GroupDriver, way: str
) -> None:
    for partition in range(2):
        driver.produce(partition, 1000)
    driver.launch(0)
    driver.ready(0)
    driver.start(0, [(0, 1, 0), (1, 1, 0)])
    time.sleep(2)
    if way == "restart":
        own_broker.stop_node(1)
    else:
        own_broker.kill(1)
    time.sleep(driver.settings.lease_s * 1.5)
    before = len(driver.evidence(0))
    own_broker.start_node(1)
    began = time.monotonic()
    driver.wait_until(lambda: len(driver.evidence(0)) > before + 100, 60)
    print(f"{way}: goes on after {time.monotonic() - began:.1f} s")
    left = driver.stop(0, [(0, 1), (1, 1)], plan=2)
    evidence = driver.evidence(0)
    for partition in range(2):
        own = [record.sequence for record in evidence if record.partition == partition]
        assert own == list(range(left[partition].offset))


def test_it_buffers_less_than_a_second_of_work(driver: GroupDriver) -> None:
    from live.consumer.consumer_connections import data_settings
    from live.consumer.data_reader import DataReader
    from live.protocol.messages import PartitionOffset

    for partition in range(2):
        driver.produce(partition, 2000)
    sizes: list[int] = []

    def note(text: str) -> None:
        partitions = json.loads(text)["topics"].get(driver.settings.topic("data"), {})
        queues = partitions.get("partitions", {}).values()
        sizes.append(sum(queue["fetchq_size"] for queue in queues))

    settings = {"statistics.interval.ms": 50, "stats_cb": note}
    address = {"bootstrap.servers": driver.settings.bootstrap}
    reader = DataReader(
        {**address, **data_settings(driver.settings), **settings},
        driver.settings.topic("data"),
        time.time_ns,
        print,
    )
    reader.assign([PartitionOffset(partition, 1, 0) for partition in range(2)])
    end = time.monotonic() + 4
    taken = 0
    while time.monotonic() < end:
        taken += len(reader.take(4800, 0.02))
        time.sleep(0.02)
    print(f"{taken} records, buffered at most {max(sizes)} bytes")
    assert taken > 100
    assert 0 < max(sizes) <= driver.settings.consumer_rate
