"""The least plan for a user's cluster, and its file."""

from __future__ import annotations

import json

import pytest

from live.user_cluster.broker_plan import BrokerLine, plan, reassignment_json
from live.user_cluster.cluster_placement import ClusterPlacement
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit

PLACEMENT = ClusterPlacement(
    {1: "", 2: "", 3: ""},
    {
        ("__consumer_offsets", 0): (1, 2),
        ("orders", 0): (2, 1),
        ("orders", 1): (1, 2),
        ("orders", 2): (2, 1),
    },
    {("__consumer_offsets", 0): 10, ("orders", 0): 500, ("orders", 1): 200, ("orders", 2): 300},
)


def test_a_broker_is_added() -> None:
    best = plan(PLACEMENT, [3], [], has_racks=True)
    assert (best.measures.moves, best.bound, best.absent) == (2, 2, [])
    assert best.measures.copied == 210
    assert best.lines[2] == BrokerLine(3, (0, 2), (0, 1), 210)
    rows = json.loads(reassignment_json(best.changes))
    assert rows["version"] == 1
    assert {row["topic"] for row in rows["partitions"]} == {"__consumer_offsets", "orders"}
    assert all(set(row) == {"topic", "partition", "replicas"} for row in rows["partitions"])


def test_a_broker_that_is_away_is_removed() -> None:
    away = PLACEMENT._replace(racks={1: "", 3: ""})
    best = plan(away, [], [2], has_racks=True)
    assert best.measures.moves == 4
    assert best.lines[1] == BrokerLine(2, (4, 0), (2, 0), 0)


def test_a_broker_that_is_to_come() -> None:
    assert plan(PLACEMENT, [7], [], has_racks=True).absent == [7]


def test_racks_count_unless_they_shall_not() -> None:
    placed = PLACEMENT._replace(racks={1: "a", 2: "a", 3: "b"})
    assert plan(placed, [3], [], has_racks=True).measures.moves == 4
    assert plan(placed, [3], [], has_racks=False).measures.moves == 2


@pytest.mark.parametrize(
    ("racks", "added", "removed", "message"),
    [
        ("", [], [], "a plan needs `--add ID` or `--remove ID`"),
        ("", [3], [3], "broker 3 must be in `--add` or in `--remove`, not in both"),
        ("", [-1], [], r"`--add` must be at least 0 \(got -1\)"),
        ("", [], [9], r"`--remove 9`: the cluster has no such broker \(brokers: 1, 2, 3\)"),
        ("", [], [1, 3], r"at least 2 brokers must remain \(got 1\)"),
        ("a", [4], [], r"none for broker 4\); set broker.rack, or pass --no-racks"),
    ],
)
def test_refused(racks: str, added: list[int], removed: list[int], message: str) -> None:
    placement = PLACEMENT._replace(racks=dict.fromkeys(PLACEMENT.racks, racks))
    with pytest.raises(InputError, match=message):
        plan(placement, added, removed, has_racks=True)


def test_a_broker_that_is_away_must_be_named() -> None:
    away = PLACEMENT._replace(racks={1: "", 3: ""})
    with pytest.raises(InputError, match="broker 2 has replicas and does not answer; restart it"):
        plan(away, [4], [], has_racks=True)
    with pytest.raises(InputError, match="the cluster has no topics"):
        plan(PLACEMENT._replace(replicas={}, sizes={}), [4], [], has_racks=True)
