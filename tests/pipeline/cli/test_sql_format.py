"""Answers in every form: no value, name or control character that one of them fails at."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from pipeline.base.paths import Paths
from pipeline.cli import sql_format
from tests.pipeline.warehouse.storage.questions import answer, written

pytestmark = [pytest.mark.unit, pytest.mark.slow]

STYLES = pytest.mark.parametrize("style", sql_format.FORMATS)


def rows(query: str, warehouse: Paths) -> list[list[str]]:
    """Rows of CSV."""
    return list(csv.reader(io.StringIO(written(query, warehouse, sql_format.CSV))))


def shown(query: str, warehouse: Paths, terminal: bool = True) -> str:
    """What one sees, without colours."""
    said = written(query, warehouse, sql_format.TABLE, terminal)
    return re.sub(r"\x1b\[[\d;]*m", "", said)


def test_csv_and_json_hold_every_digit(warehouse: Paths) -> None:
    query = "SELECT algorithm, cbs FROM pareto ORDER BY run_id"
    assert rows(query, warehouse)[1:] == [["MWF", "0.1234567890123"], ["BFD", ""]]
    assert answer(query, warehouse) == [
        {"algorithm": "MWF", "cbs": 0.1234567890123},
        {"algorithm": "BFD", "cbs": None},
    ]


def test_arrays_are_json_in_csv(warehouse: Paths) -> None:
    query = "SELECT histogram, ['a', NULL] AS a, {'x': 'inf'::DOUBLE} AS x FROM latency"
    assert rows(query, warehouse)[1] == ["[1,2]", '["a",null]', '{"x":"Infinity"}']


def test_json_has_numbers_and_no_infinity(warehouse: Paths) -> None:
    query = "SELECT sum(1) AS n, 1.5::DECIMAL(5, 2) AS d, 'inf'::DOUBLE AS i, ['x'] AS a"
    text = written(f"{query}, true AS t, NULL AS z", warehouse, sql_format.JSON)
    assert json.loads(text, parse_constant=pytest.fail) == [
        {"n": 1, "d": 1.5, "i": "Infinity", "a": ["x"], "t": True, "z": None}
    ]
    nested = "SELECT {'a': [1.0, '-inf'::DOUBLE, 'nan'::DOUBLE], 'Infinity': '\"NaN'} AS s"
    assert answer(nested, warehouse) == [
        {"s": {"a": [1.0, "-Infinity", "NaN"], "Infinity": '"NaN'}}
    ]


def test_no_rows_are_json_too(warehouse: Paths) -> None:
    assert answer("SELECT 1 AS n WHERE false", warehouse) == []


@STYLES
def test_values_of_every_type_are_printed(warehouse: Paths, style: str) -> None:
    """DuckDB's own list of types, each with its least value, its greatest and null."""
    said = written("FROM test_all_types()", warehouse, style)
    assert "83 years 3 months 999 days" in said
    assert "5881580-07-10" in said
    if style == sql_format.JSON:
        objects = json.loads(said, parse_constant=pytest.fail)
        assert len(objects) == 3
        assert objects[1]["uhugeint"] == 2**128 - 1
        assert objects[1]["double_array"] == [42.0, "NaN", "Infinity", "-Infinity", None, -42.0]


VALUES = {
    "INTERVAL '1 year 2 days 3 hours'": "1 year 2 days 03:00:00",
    "'infinity'::DATE": "infinity",
    "'-infinity'::TIMESTAMP": "-infinity",
    "'infinity'::TIMESTAMPTZ": "infinity",
    "'290000-01-01'::TIMESTAMP": "290000-01-01 00:00:00",
    "'0044-03-15 (BC)'::DATE": "0044-03-15 (BC)",
    "TIMESTAMPTZ '2026-01-01 05:00:00.5+05'": "2026-01-01 00:00:00.5Z",
    "'2026-01-01 00:00:00.123456789'::TIMESTAMP_NS": "2026-01-01 00:00:00.123456789",
    "'12:00:00+05'::TIMETZ": "12:00:00+05",
    r"'\xAA\x00a'::BLOB": r"\xAA\x00a",
    "'0101'::BIT": "0101",
    "(2::HUGEINT ** 100)::HUGEINT": str(2**100),
    "MAP {'a': 1}": '{"a":1}',
    "{'a': 1}::VARIANT": '{"a":1}',
    "union_value(k := [1])": '{"k":[1]}',
    "[INTERVAL 1 DAY]": '["1 day"]',
    "'[1, 2]'::JSON": "[1, 2]",
}


def test_values_have_duckdbs_words(warehouse: Paths) -> None:
    query = f"SELECT {', '.join(f'{value} AS c{n}' for n, value in enumerate(VALUES))}"
    assert rows(query, warehouse)[1] == list(VALUES.values())
    (row,) = answer(query, warehouse)
    numbers = {"c11": 2**100}
    nested = {"c12": {"a": 1}, "c13": {"a": 1}, "c14": {"k": [1]}, "c15": ["1 day"], "c16": [1, 2]}
    texts = {f"c{n}": text for n, text in enumerate(list(VALUES.values())[:11])}
    assert row == texts | numbers | nested


def test_values_as_people_read_them(warehouse: Paths) -> None:
    query = (
        "SELECT NULL AS a, true AS b, 'inf'::DOUBLE AS c, 0.123456789::DOUBLE AS d, "
        "TIMESTAMPTZ '2026-01-01 00:00:00.5Z' AS e, [1, 2] AS f"
    )
    row = shown(query, warehouse).splitlines()[2]
    assert re.split(r"  +", row.strip()) == [
        "-", "true", "inf", "0.123457", "2026-01-01 00:00:00Z", "[1, 2]",
    ]  # fmt: skip


def test_people_see_the_first_rows(warehouse: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_format, "MAX_SHOWN", 1)
    said = shown("SELECT algorithm FROM pareto ORDER BY run_id DESC", warehouse)
    assert "BFD" in said
    assert "MWF" not in said
    assert said.splitlines()[-1].startswith("first 1 rows only")
    assert "rows only" not in shown("SELECT 1", warehouse)


def test_of_many_columns_people_see_fewer_rows(
    warehouse: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_format, "MAX_CELLS", 6)
    assert "first 3 rows only" in shown("SELECT 1 AS a, range AS b FROM range(9)", warehouse)


WIDE = f"SELECT {', '.join(f'{k} AS column_{k}' for k in range(20))} FROM runs"


def test_what_is_too_wide_for_a_terminal_gets_a_line_per_column(
    warehouse: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = shown(WIDE, warehouse).splitlines()
    assert [line.strip() for line in said if line.startswith("row")] == ["row 1", "row 2"]
    assert "column_19  19" in {line.strip() for line in said}
    assert max(map(len, said)) <= 60


def test_a_pipe_gets_whole_lines(warehouse: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = shown(WIDE, warehouse, terminal=False)
    assert "column_0  column_1" in said
    assert "column_19" in said.splitlines()[0]


def test_long_texts_and_lists_are_shortened(
    warehouse: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    query = "SELECT repeat('x', 1_000_000) AS long, range(500) AS list, 5 AS n"
    said = shown(query, warehouse)
    assert f"{'x' * 59}…" in said
    assert "[0, 1, 2, 3" in said
    assert len(said.splitlines()) == 3


NAMES = '1 AS "[red]x[/]", 2 AS "[red]x[/]", 3 AS "two\nlines", 4 AS "\x1b[31m"'


def test_names_of_columns_are_text(warehouse: Paths) -> None:
    head = shown(f"SELECT {NAMES}", warehouse).splitlines()[0]
    assert re.split(r"  +", head.strip()) == ["[red]x[/]", "[red]x[/]_2", "two lines", "�[31m"]
    names = ["[red]x[/]", "[red]x[/]_2", "two\nlines", "\x1b[31m"]
    assert rows(f"SELECT {NAMES}", warehouse)[0] == names
    assert answer(f"SELECT {NAMES}", warehouse) == [dict(zip(names, (1, 2, 3, 4), strict=True))]
    (long,) = answer(f'SELECT 1 AS "{"n" * 9_999}"', warehouse)
    assert list(long) == ["n" * 9_999]
    assert f"{'n' * 59}…" in shown(f'SELECT 1 AS "{"n" * 9_999}"', warehouse)


# Commands, C1, a change of direction, a separator of lines, and what is no character.
CONTROLS = "\x1b[31m\x07\x00\x9b\u202e\u2028\x7f\ufeff"


@STYLES
def test_terminals_get_no_control_characters(warehouse: Paths, style: str) -> None:
    text = " || ".join(f"chr({ord(c)})" for c in CONTROLS)
    query = f"SELECT {text} AS a, [{text}] AS b, 'two' || chr(10) || 'lines' AS \"{CONTROLS[4]}\""
    said = written(query, warehouse, style, terminal=True)
    # A table has bold heads.
    plain = re.sub(r"\x1b\[[\d;]*m", "", said) if style == sql_format.TABLE else said
    assert all(c.isprintable() or c == "\n" for c in plain), ascii(plain)
    assert "[31m" in said
    if style == sql_format.JSON:
        assert json.loads(said)[0]["a"] == CONTROLS


def test_pipes_get_csv_as_it_is_and_json_that_means_the_same(warehouse: Paths) -> None:
    text = " || ".join(f"chr({ord(c)})" for c in CONTROLS)
    assert rows(f"SELECT {text} AS a", warehouse)[1] == [CONTROLS]
    said = written(f"SELECT {text} AS a", warehouse, sql_format.JSON)
    assert all(c.isprintable() or c == "\n" for c in said)
    assert json.loads(said) == [{"a": CONTROLS}]
