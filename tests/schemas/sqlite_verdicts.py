"""Conditions of Spark SQL on rows, judged by SQLite: enough for all without anonymous functions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

Row = Mapping[str, Any]


def is_judged(condition: str) -> bool:
    """Whether SQLite can judge the condition: it has no functions without a name."""
    return " -> " not in condition


def holds(condition: str, row: Row) -> bool:
    """Whether Delta takes the row: the condition is true, neither false nor null."""
    return verdicts([condition], [row])[0][0]


def verdicts(conditions: Sequence[str], rows: Iterable[Row]) -> list[list[bool]]:
    """For each row, whether each of the conditions is true. All rows have the same columns."""
    listed = [dict(row) for row in rows]
    if not listed or not conditions:
        return [[] for _ in listed]
    connection = _connection()
    names = ", ".join(f"`{name}`" for name in listed[0])
    connection.execute("DROP TABLE IF EXISTS rows")
    connection.execute(f"CREATE TABLE rows ({names})")
    marks = ", ".join("?" * len(listed[0]))
    values = ([_bound(value) for value in row.values()] for row in listed)
    connection.executemany(f"INSERT INTO rows VALUES ({marks})", values)
    query = ", ".join(f"({condition}) IS TRUE" for condition in conditions)
    judged = connection.execute(f"SELECT {query} FROM rows ORDER BY rowid")
    return [[value == 1 for value in row] for row in judged]


@cache
def _connection() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    functions: dict[str, tuple[int, Callable[..., Any]]] = {
        "isnan": (1, lambda x: x is not None and x != x),
        "size": (1, lambda text: None if text is None else len(json.loads(text))),
        "startswith": (2, lambda text, start: text.startswith(start)),
        "get_json_object": (2, _parsed),
        "array_distinct": (1, lambda text: json.dumps(list(dict.fromkeys(json.loads(text))))),
    }
    for name, (n, function) in functions.items():
        connection.create_function(name, n, function, deterministic=True)
    return connection


def _parsed(text: str, path: str) -> str | None:
    assert path == "$"
    try:
        json.loads(text)
    except ValueError:
        return None
    return text


def _bound(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps(value)
    return value.isoformat() if isinstance(value, datetime) else value
