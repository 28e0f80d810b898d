"""The example for Polars of docs/analyst.md answers as the one in SQL beside it.

Polars is none of our packages: its few words that the page uses are played by DuckDB.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import duckdb
import pytest
from deltalake import DeltaTable

from pipeline.base.paths import Paths
from tests import guides, warehouse

pytestmark = pytest.mark.unit

POLARS = guides.block("docs/analyst.md", "import polars")
SQL = guides.block("docs/analyst.md", "INSTALL delta").partition("LOAD delta;")[2]


def scan(place: str) -> duckdb.DuckDBPyRelation:
    return duckdb.from_arrow(DeltaTable(place).to_pyarrow_dataset())


class Column:
    """A column in expressions, as SQL."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> str:  # type: ignore[override]
        return f"{self.name} = '{other}'"

    __hash__ = None  # type: ignore[assignment]

    def mean(self) -> str:
        return f"avg({self.name}) AS {self.name}"


class Frame:
    """A lazy frame, as a relation."""

    def __init__(self, rows: duckdb.DuckDBPyRelation) -> None:
        self.rows = rows

    def filter(self, condition: str) -> Frame:
        return Frame(self.rows.filter(condition))

    def join(self, other: Frame, on: str, how: str) -> Frame:
        return Frame(self.rows.join(other.rows, on, how))

    def group_by(self, *names: str) -> SimpleNamespace:
        keys = ", ".join(names)
        return SimpleNamespace(agg=lambda one: Frame(self.rows.aggregate(f"{keys}, {one}", keys)))

    def sort(self, *names: str) -> Frame:
        return Frame(self.rows.order(", ".join(names)))

    def collect(self) -> list[tuple[Any, ...]]:
        return self.rows.fetchall()


def rounded(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows in one order, without the last digits, which the order of additions decides."""
    return sorted((*keys, round(mean, 9)) for *keys, mean in rows)


def test_both_answers_are_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warehouse.write(Paths(tmp_path / "warehouse"))
    monkeypatch.chdir(tmp_path)
    polars = ModuleType("polars")
    vars(polars).update(scan_delta=lambda place: Frame(scan(place)), col=Column)
    monkeypatch.setitem(sys.modules, "polars", polars)
    names: dict[str, Any] = {}
    exec(compile(POLARS, "docs/analyst.md", "exec"), names)
    with duckdb.connect() as tables:
        query = SQL
        for table in ("scores", "runs"):
            place = f"warehouse/{table}"
            tables.register(table, DeltaTable(place).to_pyarrow_dataset())
            query = query.replace(f"delta_scan('{place}')", table)
        expected = rounded(tables.sql(query).fetchall())
    assert expected
    assert rounded(names["answer"]) == expected
