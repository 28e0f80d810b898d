"""SQL queries over a few rows, for tests."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

from pipeline.base.paths import Paths
from pipeline.cli import sql_format
from pipeline.warehouse.storage import sql


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def written(query: str, places: Paths, style: str, terminal: bool = False) -> str:
    """An answer as the command writes it."""
    out = Terminal() if terminal else io.StringIO()
    with sql.answering(query, places) as reply:
        sql_format.write(reply, style, out)
    return out.getvalue()


def answer(query: str, places: Paths) -> list[dict[str, Any]]:
    """An answer as a program reads it."""
    rows: list[dict[str, Any]] = json.loads(written(query, places, sql_format.JSON))
    return rows


def make(folder: Path) -> Paths:
    """Two published runs and one that failed."""
    place = Paths(folder)
    runs = {
        "run_id": ["a", "b", "c"],
        "status": ["published", "published", "failed"],
        "finished_at": pa.array([0, 1, 2], pa.timestamp("us", "UTC")),
    }
    fronts = {
        "run_id": ["a", "b", "c"],
        "algorithm": ["MWF", "BFD", "NF"],
        "cbs": pa.array([0.1234567890123, None, 0.5], pa.float64()),
    }
    held = {"run_id": ["a"], "histogram": pa.array([[1, 2]], pa.list_(pa.int64()))}
    for table, rows in (("runs", runs), ("pareto", fronts), ("latency", held)):
        write_deltalake(place.table(table), pa.table(rows), partition_by=["run_id"])
    return place
