"""Runs that start at the same moment, in processes of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.run_tables import statuses
from tests.faults.breaking import RUN, assert_same_rows
from tests.faults.conftest import Start


@pytest.fixture(scope="module")
def warehouse(shared: Path) -> Path:
    return shared / "together"


def start_both(start: Start, warehouse: Path, *run_ids: str) -> list[int]:
    """Start a run for each id at the same moment; their exit statuses."""
    place = ("--warehouse", str(warehouse))
    started = [start(*RUN, "--run-id", run_id, *place) for run_id in run_ids]
    return [process.end() for process in started]


def test_on_a_new_warehouse_and_twice_the_same_id(
    start: Start, whole: Path, warehouse: Path
) -> None:
    place = ("--warehouse", str(warehouse))
    started = [start(*RUN, "--run-id", run_id, *place) for run_id in ("one", "two", "two")]
    ended = [process.end() for process in started]
    assert ended[0] == 0, started[0].said
    assert sorted(ended[1:]) == [0, 2], [process.said for process in started]
    refused = started[1 + ended[1:].index(2)]
    assert "run_id 'two' is in use by a running run" in refused.said
    assert statuses(warehouse) == {"one": "published", "two": "published"}
    for run_id in ("one", "two"):
        assert_same_rows(warehouse, run_id, whole)


def test_on_an_existing_warehouse(start: Start, whole: Path, warehouse: Path) -> None:
    assert start_both(start, warehouse, "three", "four") == [0, 0]
    by_run = statuses(warehouse)
    assert {by_run["three"], by_run["four"]} == {"published"}
    for run_id in by_run:
        assert_same_rows(warehouse, run_id, whole)
