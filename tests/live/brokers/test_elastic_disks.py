"""Brokers of a cluster with file systems of their own: mounted at their start, gone with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.brokers.elastic_cluster import ElasticCluster
from live.kafka import node_group, small_disks
from live.kafka.broker_node import BrokerFailed

pytestmark = pytest.mark.unit

MIB = 64


@pytest.fixture
def mounted(without_java: None, monkeypatch: pytest.MonkeyPatch) -> dict[Path, int]:
    """Mounted folders and their sizes, MiB."""
    found: dict[Path, int] = {}
    monkeypatch.setattr(small_disks, "mount", found.__setitem__)
    monkeypatch.setattr(small_disks, "unmount", found.pop)
    return found


def test_a_broker_that_gets_a_disk_has_it_until_it_is_stopped(
    mounted: dict[Path, int], tmp_path: Path
) -> None:
    with ElasticCluster(tmp_path / "c", 1, 3, 1, 1, MIB) as cluster:
        cluster.give_disk(2)
        assert mounted == {}
        cluster.start(2)
        data = tmp_path / "c" / "node-2" / "data"
        assert mounted == {data: MIB}
        cluster.stop(2)
        assert mounted == {}
        # Another broker with its id has none.
        cluster.start(2)
        assert mounted == {}


def test_disks_go_with_the_cluster(mounted: dict[Path, int], tmp_path: Path) -> None:
    with ElasticCluster(tmp_path / "c", 1, 3, 1, 1, MIB) as cluster:
        cluster.give_disk(2)
        cluster.give_disk(3)
        cluster.start(2)
        assert len(mounted) == 1
    assert mounted == {}


def test_a_disk_goes_if_its_broker_does_not_start(
    mounted: dict[Path, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise BrokerFailed("cannot format node 2")

    with ElasticCluster(tmp_path / "c", 1, 3, 1, 1, MIB) as cluster:
        cluster.give_disk(2)
        monkeypatch.setattr(node_group, "format_all", fail)
        with pytest.raises(BrokerFailed):
            cluster.start(2)
    assert mounted == {}
