"""What ``groupscale sql`` takes for a question: one statement that only reads."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from pipeline.errors import InputError

if TYPE_CHECKING:
    import duckdb

MAX_BYTES = 1_000_000
MAX_SECONDS = 86_400

_PIVOTS = {"PIVOT", "PIVOT_WIDER", "PIVOT_LONGER", "UNPIVOT"}
_LOOKS = {"SHOW", "DESCRIBE", "DESC", "SUMMARIZE"}
_QUESTIONS = {"SELECT", "WITH", "FROM", "VALUES", "TABLE"} | _LOOKS | _PIVOTS
# What may stand between EXPLAIN and the question.
_STYLES = {"DEFAULT", "TEXT", "JSON", "YAML", "HTML", "GRAPHVIZ", "MERMAID"}
_EXPLAIN = {"EXPLAIN", "ANALYZE", "TRUE", "FALSE", "FORMAT"} | _STYLES
# What DuckDB calls them: SHOW and DESCRIBE are SELECT, PIVOT is MULTI, since it first looks up the
# values that become columns. WITH may also begin an INSERT.
_TYPES = ("SELECT", "EXPLAIN", "MULTI")
_NO_TEXT = "sql: the question must be text in UTF-8"
_WORD = re.compile(rb"\w+")


def check(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    """Raise `InputError` for what is no single question."""
    try:
        _short(query.encode())
    except UnicodeEncodeError as error:
        # The shell has passed other bytes.
        raise InputError(_NO_TEXT) from error
    statements = connection.extract_statements(query)
    if not statements:
        raise InputError("sql: there is no question; ask with SELECT")
    if len(statements) > 1:
        raise InputError(f"sql: these are {len(statements)} statements; ask one at a time")
    kind = statements[0].type.name
    word = next(_words(query), kind)
    if word not in _QUESTIONS or kind not in _TYPES:
        named = word if word not in _QUESTIONS else kind
        raise InputError(f"sql: {named} is no question, and tables are read only; ask with SELECT")


def read(file: BinaryIO) -> str:
    """A question from a file, or raise `InputError`; of one that is too long no more is read."""
    try:
        return _short(file.read(MAX_BYTES + 1)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(_NO_TEXT) from error


def check_timeout(seconds: float | None) -> None:
    """Raise `InputError` unless it is a number of seconds that one can wait."""
    if seconds is not None and not (math.isfinite(seconds) and 0 < seconds <= MAX_SECONDS):
        raise InputError(
            f"`--timeout` must be more than 0 and at most {MAX_SECONDS:,} seconds "
            f"(got {seconds:g})."
        )


def _short(text: bytes) -> bytes:
    if len(text) > MAX_BYTES:
        raise InputError(f"sql: the question must have at most {MAX_BYTES:,} bytes")
    return text


def _words(query: str) -> Iterator[str]:
    """Words outside of comments, but for those that `_EXPLAIN` has."""
    import duckdb

    text = query.encode()
    for start, kind in duckdb.tokenize(query):
        found = _WORD.match(text, start)
        word = found.group().decode().upper() if found and kind != duckdb.token_type.comment else ""
        if word and word not in _EXPLAIN:
            yield word
