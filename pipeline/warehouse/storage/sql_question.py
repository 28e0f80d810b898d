"""Queries that ``groupscale sql`` accepts: one statement that only reads."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from pipeline.base.errors import InputError

if TYPE_CHECKING:
    import duckdb

MAX_BYTES = 1_000_000
MAX_SECONDS = 86_400

_PIVOTS = {"PIVOT", "PIVOT_WIDER", "PIVOT_LONGER", "UNPIVOT"}
_LOOKS = {"SHOW", "DESCRIBE", "DESC", "SUMMARIZE"}
_QUESTIONS = {"SELECT", "WITH", "FROM", "VALUES", "TABLE"} | _LOOKS | _PIVOTS
# Words allowed between EXPLAIN and the query.
_STYLES = {"DEFAULT", "TEXT", "JSON", "YAML", "HTML", "GRAPHVIZ", "MERMAID"}
_EXPLAIN = {"EXPLAIN", "ANALYZE", "TRUE", "FALSE", "FORMAT"} | _STYLES
# DuckDB's types: SHOW and DESCRIBE are SELECT; PIVOT is MULTI, since it first looks up the values
# that become columns. WITH may also begin an INSERT.
_TYPES = ("SELECT", "EXPLAIN", "MULTI")
_LISTS, _DESCRIBES = (".tables", ".views", "\\dt", "\\d"), (".schema", ".columns", "\\d")
_NAME = re.compile(r"\w+")
_NO_TEXT = "sql: the query must be UTF-8 text"
_WORD = re.compile(rb"\w+")


def check(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    """Raise `InputError` unless the text is a single query."""
    try:
        _short(query.encode())
    except UnicodeEncodeError as error:
        # The shell passed bytes that are not UTF-8.
        raise InputError(_NO_TEXT) from error
    statements = connection.extract_statements(query)
    if not statements:
        raise InputError("sql: the query is empty")
    if len(statements) > 1:
        raise InputError(f"sql: pass one SQL statement at a time (got {len(statements)})")
    kind = statements[0].type.name
    word = next(_words(query), kind)
    if word not in _QUESTIONS or kind not in _TYPES:
        named = word if word not in _QUESTIONS else kind
        raise InputError(f"sql: {named} is not supported: tables are read-only; use SELECT")


def spelt_out(query: str) -> str:
    """The query for a command of another shell, such as ``.tables``; other texts are unchanged.

    Raises InputError if it looks like such a command, but has no query.

    >>> spelt_out(".tables"), spelt_out(".schema scores"), spelt_out("SELECT 1")
    ('SHOW TABLES', 'DESCRIBE scores', 'SELECT 1')
    """
    command = query.strip().removesuffix(";").strip()
    if not command.startswith((".", "\\")):
        return query
    word, _, name = command.partition(" ")
    if word in _LISTS and not name:
        return "SHOW TABLES"
    if word in _DESCRIBES and _NAME.fullmatch(name.strip()):
        return f"DESCRIBE {name.strip()}"
    raise InputError(
        f"sql: {word[:20]} is a command of another shell; use SHOW TABLES, DESCRIBE TABLE_NAME or "
        "a query; --format sets the format and -o FILE writes a file"
    )


def read(file: BinaryIO) -> str:
    """A query from a file, or raise `InputError`; reads no more than the maximum length."""
    try:
        return _short(file.read(MAX_BYTES + 1)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(_NO_TEXT) from error


def check_timeout(seconds: float | None) -> None:
    """Raise `InputError` unless the timeout is positive and at most a day."""
    if seconds is not None and not (math.isfinite(seconds) and 0 < seconds <= MAX_SECONDS):
        raise InputError(
            f"`--timeout` must be above 0 and at most {MAX_SECONDS:,} s (got {seconds:g})"
        )


def _short(text: bytes) -> bytes:
    if len(text) > MAX_BYTES:
        raise InputError(f"sql: the query can have at most {MAX_BYTES:,} bytes")
    return text


def _words(query: str) -> Iterator[str]:
    """Words outside of comments, without those in `_EXPLAIN`."""
    import duckdb

    text = query.encode()
    for start, kind in duckdb.tokenize(query):
        match = _WORD.match(text, start)
        word = match.group().decode().upper() if match and kind != duckdb.token_type.comment else ""
        if word and word not in _EXPLAIN:
            yield word
