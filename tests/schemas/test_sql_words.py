"""Names of tables, views and columns are no words of SQL: queries need no quotes for them."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from schemas import TABLES, VIEWS

pytestmark = pytest.mark.unit

_SPARK = """
all and any as authorization both call case cast check collate collation column constraint
create cross current_date current_time current_timestamp current_user distinct else end escape
except execute false fetch filter for foreign from full grant group having in inner intersect
into is join lateral leading left natural not null offset on only or order outer overlaps
primary recursive references right select session_user some sql table then time to trailing
union unique unknown user using when where with within
"""
SPARK = frozenset(_SPARK.split())
"""What Spark 4.1 reserves with ``spark.sql.ansi.enforceReservedKeywords``: ``sql_keywords()``."""

EVERY = {**TABLES, **VIEWS}


def names() -> Iterator[tuple[str, str]]:
    """Each name, with the table or view that it is in."""
    for owner, contract in EVERY.items():
        yield owner, owner
        for column in contract.columns:
            yield column.name, owner


def test_no_name_is_reserved() -> None:
    """Words that are also functions or types (``overlaps``) fail as arguments of a function."""
    query = (
        "SELECT keyword_name FROM duckdb_keywords() "
        "WHERE keyword_category IN ('reserved', 'type_function')"
    )
    duck = {word for (word,) in duckdb.sql(query).fetchall()}
    assert {"overlaps", "table"} <= duck & SPARK
    assert [(name, owner) for name, owner in names() if name in duck | SPARK] == []


@pytest.mark.parametrize("owner", EVERY)
def test_columns_need_no_quotes(owner: str) -> None:
    """Each name works as a column, in a function, qualified, and in each clause."""
    columns = [column.name for column in EVERY[owner].columns]
    with duckdb.connect() as connection:
        made = ", ".join(f'1 AS "{name}"' for name in columns)
        connection.execute(f'CREATE VIEW "{owner}" AS SELECT {made}')
        for name in columns:
            query = (
                f"SELECT sum({name}), max(t.{name}), {name} FROM {owner} t WHERE {name} > 0 "
                f"GROUP BY {name} HAVING {name} > 0 ORDER BY {name}"
            )
            assert connection.execute(query).fetchall() == [(1, 1, 1)]
