"""KRaft controllers of a cluster: their settings, and one that is killed and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.brokers.elastic_cluster import ElasticCluster
from live.kafka.broker_node import BrokerNode
from live.processes import child_processes

pytestmark = [pytest.mark.unit, pytest.mark.usefixtures("without_java")]


def settings(folder: Path, node: int) -> dict[str, str]:
    """What a node's file says."""
    text = (folder / f"node-{node}" / "server.properties").read_text()
    return dict(line.split("=", 1) for line in text.splitlines())


@pytest.mark.parametrize("count", [1, 3])
def test_all_nodes_know_the_same_controllers(tmp_path: Path, count: int) -> None:
    with ElasticCluster(tmp_path / "c", 2, 4, count, 2) as cluster:
        addresses = cluster.controller_addresses.split(",")
        assert len({*addresses}) == len(addresses) == count
        # Ids 3 and 4 are those of brokers that may join.
        pairs = zip(range(5, 5 + count), addresses, strict=True)
        voters = ",".join(f"{node}@{address}" for node, address in pairs)
        cluster.start(3)
        for node in (1, 2, 3, *range(5, 5 + count)):
            own = settings(tmp_path / "c", node)
            assert own["controller.quorum.voters"] == voters
            assert own["process.roles"] == ("controller" if node > 4 else "broker")
            if node > 4:
                assert own["listeners"] == f"CONTROLLER://{addresses[node - 5]}"


def test_a_controller_that_is_killed_starts_again_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    def launch(self: BrokerNode) -> None:
        started.append(self.number)
        self.child = child_processes.start(["sleep", "60"], "node", tmp_path / "log")

    monkeypatch.setattr(BrokerNode, "launch", launch)
    with ElasticCluster(tmp_path / "c", 1, 2, 3, 1) as cluster:
        assert (started, cluster.brokers) == ([1, 3, 4, 5], [1])
        cluster.kill_controller(4)
        # A kill on purpose is no failure of the cluster.
        assert cluster.failures() == {}
        for _ in range(2):
            cluster.restart_controllers()
            assert started == [1, 3, 4, 5, 4]
        assert cluster.brokers == [1]
