"""Allowed queries: one statement that only reads, although DuckDB can run others."""

from __future__ import annotations

import io

import duckdb
import pytest

from pipeline.base.errors import InputError
from pipeline.warehouse.storage import sql_question

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    database = duckdb.connect()
    database.execute("CREATE TABLE runs AS SELECT 'a' AS run_id, 'published' AS status")
    return database


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1;",
        "\n-- é, a remark\n /* and /* another */ one */ ((select 1))",
        "FROM runs",
        "TABLE runs",
        "VALUES (1)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "SHOW TABLES",
        "DESCRIBE runs",
        "DESC runs",
        "SUMMARIZE runs",
        "PIVOT runs ON status USING count(*)",
        "(PIVOT runs ON status)",
        "WITH a AS (PIVOT runs ON status) FROM a",
        "UNPIVOT runs ON status",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE PIVOT runs ON status",
        "EXPLAIN (ANALYZE, FORMAT json) FROM runs",
    ],
)
def test_questions_have_many_forms(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    sql_question.check(connection, query)
    relation = connection.sql(query)
    assert relation.to_arrow_table().num_rows


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("COPY runs TO '/tmp/stolen.csv'", "COPY"),
        ("SET enable_external_access = true", "SET"),
        ("RESET threads", "RESET"),
        ("USE other", "USE"),
        ("ATTACH '/tmp/other.db'", "ATTACH"),
        ("INSTALL httpfs", "INSTALL"),
        ("LOAD httpfs", "LOAD"),
        ("PRAGMA version", "PRAGMA"),
        ("CALL pragma_version()", "CALL"),
        ("DROP TABLE runs", "DROP"),
        ("ALTER TABLE runs ADD x INT", "ALTER"),
        ("DELETE FROM runs", "DELETE"),
        ("TRUNCATE runs", "TRUNCATE"),
        ("INSERT INTO runs VALUES ('x', 'published')", "INSERT"),
        ("WITH a AS (SELECT 'x', 'y') INSERT INTO runs FROM a", "INSERT"),
        ("CREATE TABLE x AS SELECT 1", "CREATE"),
        ("CREATE TABLE x AS PIVOT runs ON status", "CREATE"),
        ("EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1", "CREATE"),
        ("EXPLAIN (ANALYZE, FORMAT json) DELETE FROM runs", "DELETE"),
        ("EXPLAIN CALL pragma_version()", "CALL"),
        ("PREPARE x AS SELECT 1", "PREPARE"),
        ("EXECUTE x", "EXECUTE"),
        ("BEGIN", "BEGIN"),
        ("VACUUM", "VACUUM"),
        ("ANALYZE runs", "RUNS"),
        ("CHECKPOINT", "CHECKPOINT"),
        ("EXPORT DATABASE '/tmp/stolen'", "EXPORT"),
        ("IMPORT DATABASE '/tmp/other'", "IMPORT"),
    ],
)
def test_all_else_is_refused_by_name(
    connection: duckdb.DuckDBPyConnection, query: str, named: str
) -> None:
    said = f"^sql: {named} is not supported: .*SELECT$"
    with pytest.raises(InputError, match=said):
        sql_question.check(connection, query)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "empty"),
        ("-- only a remark", "empty"),
        ("SELECT 1; DROP TABLE runs", "2"),
        (f"SELECT '{'x' * sql_question.MAX_BYTES}'", "at most 1,000,000 bytes"),
        ("SELECT '\udcff'", "UTF-8"),
    ],
)
def test_a_question_is_one_statement_of_text(
    connection: duckdb.DuckDBPyConnection, query: str, said: str
) -> None:
    with pytest.raises(InputError, match=f"^sql: .*{said}"):
        sql_question.check(connection, query)


def test_a_file_is_read_as_far_as_a_question_may_go() -> None:
    assert sql_question.read(io.BytesIO("\ufeffSELECT 'é'".encode())) == "SELECT 'é'"
    with pytest.raises(InputError, match="UTF-8"):
        sql_question.read(io.BytesIO(b"SELECT '\xff'"))
    endless = io.BytesIO(bytes(2 * sql_question.MAX_BYTES))
    with pytest.raises(InputError, match="at most 1,000,000 bytes"):
        sql_question.read(endless)
    assert endless.tell() == sql_question.MAX_BYTES + 1


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf"), 86_401.0])
def test_a_time_that_cannot_be_waited_is_refused(seconds: float) -> None:
    with pytest.raises(InputError, match="`--timeout`"):
        sql_question.check_timeout(seconds)


def test_a_time_need_not_be_given() -> None:
    for seconds in (None, 0.1, 86_400.0):
        sql_question.check_timeout(seconds)
