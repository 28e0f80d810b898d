"""Rules that tables of live runs have in common."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas as pd
import pytest

from schemas import TABLES
from schemas.tables.live.live_rules import PLANNED_MOVES
from tests.schemas import tiny_live

pytestmark = [pytest.mark.unit, pytest.mark.slow]


@pytest.mark.parametrize(
    ("strategy", "moves"),
    [("MWF", 7), ("kd_3", 7), ("keda_hpa", 7), ("keda", 0), ("kafka_848_3", 0)],
)
def test_moves_of_own_groups_are_not_those_of_plans(strategy: str, moves: int) -> None:
    rows = f"SELECT {PLANNED_MOVES} FROM (SELECT '{strategy}' AS strategy, 7 AS moves)"
    assert duckdb.sql(rows).fetchall() == [(moves,)]


def broken(table: str, rule: str, fault: str, change: dict[str, Any]) -> bool:
    """Whether a rule fails in a run with a fault, if the first row of a table is changed."""
    rows = tiny_live.rows("r")
    last = dict.fromkeys(rows["live_events"][0]) | {"event": 99, "time_s": 9.0}
    rows["live_events"].append(
        rows["live_events"][0] | last | _of(rows, table) | {"component": "fault", "kind": fault}
    )
    rows[table][0] |= change
    definition = next(item for item in TABLES[table].rules if item.name == rule)
    views = {name: f"checked_{name}" for name in definition.tables}
    with duckdb.connect() as database:
        for name in (*definition.tables, table):
            database.register(f"checked_{name}", pd.DataFrame(rows[name]))
        query = definition.bound(views).format(batch=f"checked_{table}").replace("`", '"')
        return bool(database.sql(query).fetchall())


def _of(rows: dict[str, list[dict[str, Any]]], table: str) -> dict[str, Any]:
    """Names in the first row of a table."""
    return {name: rows[table][0][name] for name in ("run_id", "stream_id", "strategy")}


EVERYWHERE = ("exited", "lost", "fenced")


@pytest.mark.parametrize("fault", [*EVERYWHERE, "lag", "recover", "stale"])
@pytest.mark.parametrize("change", [{"twice": 1}, {"out_of_order": 1}, {"overlapping_epochs": 1}])
def test_records_repeat_only_after_a_consumer_ended(fault: str, change: dict[str, int]) -> None:
    is_broken = broken("live_integrity", "faultless_exactly_once", fault, change)
    assert is_broken == (fault not in (*EVERYWHERE, "lag"))


@pytest.mark.parametrize("fault", [*EVERYWHERE, "lag", "recover", "stale"])
@pytest.mark.parametrize(
    ("table", "rule", "change"),
    [
        ("live_integrity", "moves_add_up", {"owner_changes": 5}),
        (
            "live_events",
            "moves_of_plans",
            {"component": "consumer", "kind": "started", "epoch": 0, "consumer": 1},
        ),
    ],
)
def test_moves_differ_from_plans_only_after_a_consumer_ended_or_a_recovery(
    fault: str, table: str, rule: str, change: dict[str, Any]
) -> None:
    assert broken(table, rule, fault, change) == (fault not in (*EVERYWHERE, "recover"))
    assert not broken(table, rule, fault, {})
