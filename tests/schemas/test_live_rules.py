"""Rules that tables of live runs have in common."""

from __future__ import annotations

import duckdb
import pytest

from schemas.tables.live.live_rules import PLANNED_MOVES

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("strategy", "moves"),
    [("MWF", 7), ("kd_3", 7), ("keda_hpa", 7), ("keda", 0), ("kafka_848_3", 0)],
)
def test_moves_of_own_groups_are_not_those_of_plans(strategy: str, moves: int) -> None:
    rows = f"SELECT {PLANNED_MOVES} FROM (SELECT '{strategy}' AS strategy, 7 AS moves)"
    assert duckdb.sql(rows).fetchall() == [(moves,)]
