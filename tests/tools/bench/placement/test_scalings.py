"""Simulated scalings: the same for all rules, and of the size that the page states."""

from __future__ import annotations

from itertools import pairwise

import pytest

from algorithms.placement import BrokerLists
from tools.bench.placement import placement_table, scalings
from tools.bench.placement.placement_table import KAFKA, LEAST, TURNS

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("replication", scalings.REPLICATIONS)
def test_rules_get_the_same_brokers(replication: int) -> None:
    seen: dict[str, list[list[int]]] = {}

    def noting(rule: str, planner: scalings.Planner) -> scalings.Planner:
        def plan(before: BrokerLists, brokers: list[int], sizes: list[float]) -> BrokerLists:
            seen.setdefault(rule, []).append(brokers)
            return planner(before, brokers, sizes)

        return plan  # type: ignore[return-value]

    for rule, planner in ((LEAST, scalings.least), (TURNS, scalings.in_turn)):
        rows = list(scalings.scalings(replication, 3, rule, noting(rule, planner)))
        assert len(rows) == scalings.STEPS
    assert seen[LEAST] == seen[TURNS]
    sizes = [len(brokers) for brokers in seen[LEAST]]
    assert all(scalings.FEWEST <= size <= scalings.MOST for size in sizes)
    assert all(abs(a - b) == 1 for a, b in pairwise(sizes))


def test_a_start_is_balanced() -> None:
    rows = list(scalings.scalings(2, 0, LEAST, scalings.least))
    assert {row.measures.replica_spread for row in rows} <= {0, 1}
    assert {row.measures.leader_spread for row in rows} <= {0, 1}
    # What a broker has at most, of 4 topics of 16 partitions with 2 replicas on 3 brokers.
    assert 0 < max(row.measures.moves for row in rows) <= 43


def test_the_page_has_a_line_for_each_rule() -> None:
    rows = [
        each
        for replication in (1, 2)
        for cluster in (0, 1)
        for rule, planner in ((LEAST, scalings.least), (TURNS, scalings.in_turn))
        for each in scalings.scalings(replication, cluster, rule, planner)
    ]
    page = placement_table.page(rows)
    lines = [line for line in page.splitlines() if line.startswith(("| 1 |", "| 2 |"))]
    assert [line.split(" | ")[1] for line in lines] == [LEAST, TURNS] * 2
    assert len({line.count("|") for line in page.splitlines() if line.startswith("|")}) == 1
    assert "100 simulated scalings for each replication, of\n2 clusters" in page
    assert KAFKA in page
