"""The form of what is rendered."""

from __future__ import annotations

import re

import pytest

from schemas import TABLES, Column, ContractError, Table
from schemas.render import (
    comment,
    conditions,
    constraints,
    ddl,
    expectations,
    struct_json,
    table_comment,
)
from schemas.render.words import limits
from tests.schemas import bounds_rows

CONTRACTS = bounds_rows.contracts()
TYPES = {
    "string",
    "integer",
    "long",
    "double",
    "boolean",
    "timestamp",
}
each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
each_contract = pytest.mark.parametrize("table", CONTRACTS.values(), ids=CONTRACTS)


@each_contract
def test_struct_has_the_columns_in_order_with_comments(table: Table) -> None:
    fields = struct_json(table)["fields"]
    assert [field["name"] for field in fields] == [column.name for column in table.columns]
    for field, column in zip(fields, table.columns, strict=True):
        assert field["nullable"] == column.nullable
        assert field["metadata"] == {"comment": comment(column)}
        element = field["type"]["elementType"] if column.is_array else field["type"]
        assert element in TYPES


def test_struct_of_arrays_leaves_nulls_to_the_constraints() -> None:
    fields = {field["name"]: field["type"] for field in struct_json(TABLES["streams"])["fields"]}
    assert fields["partitions"] == {
        "type": "array",
        "elementType": "string",
        "containsNull": True,
    }
    assert constraints(TABLES["streams"])["partitions_elements"] == (
        "NOT exists(`partitions`, x -> x IS NULL)"
    )


def test_comment_says_meaning_unit_bounds_and_null() -> None:
    column = TABLES["measurements"].column("rates")
    assert comment(column) == (
        "Write speed of each partition, in the order of streams.partitions. Unit: bytes/s, or "
        "events/s in autoscaling. Values: >= 0, finite. Null element: The partition does not exist "
        "at this iteration."
    )


@each_table
def test_comment_of_a_table_says_grain_and_key(table: Table) -> None:
    said = table_comment(table)
    assert said.startswith(f"{table.meaning} One row per {table.grain}. Key: ")
    for name in table.key:
        assert name in said
    assert conditions.literal(said) in ddl(table)


@each_table
def test_ddl_defines_each_column_and_constraint_once(table: Table) -> None:
    statement = ddl(table)
    for column in table.columns:
        null = "" if column.nullable else " NOT NULL"
        pattern = rf"^  `{column.name}` [A-Z<>]+{null} COMMENT '"
        assert len(re.findall(pattern, statement, re.MULTILINE)) == 1, column.name
    for name in constraints(table):
        assert statement.count(f"'delta.constraints.{name}' = ") == 1
    assert "USING DELTA" in statement
    assert f"PARTITIONED BY (`{'`, `'.join(table.partition_by)}`)" in statement


def test_ddl_of_a_path_and_of_a_table_without_extras() -> None:
    column = Column("name", "string", "What it's called; a \\ stays.")
    table = Table("things", "What there is.", "thing", (column,), ("name",))
    assert ddl(table, "delta.`/data/things`") == (
        "CREATE TABLE IF NOT EXISTS delta.`/data/things` (\n"
        "  `name` STRING NOT NULL COMMENT 'What it\\'s called; a \\\\ stays.'\n"
        ")\nUSING DELTA\nCOMMENT 'What there is. One row per thing. Key: name.'"
    )


def test_elements_that_may_be_null_are_bounded_where_they_are_not() -> None:
    column = Column(
        "waits", "array<int>", "Waits.", "s", element_nullable=True, null_means="None.", minimum=1
    )
    table = Table("things", "What there is.", "thing", (column,), ("waits",))
    assert constraints(table) == {
        "waits_elements": "NOT exists(`waits`, x -> x IS NOT NULL AND NOT (x >= 1))"
    }


def test_array_of_anything_has_no_constraint() -> None:
    column = Column("tags", "array<string>", "Tags.", element_nullable=True, null_means="None.")
    table = Table("things", "What there is.", "thing", (column,), ("tags",))
    assert constraints(table) == {}
    rules = [item["meta"]["rule"] for item in expectations(table)]
    assert rules == ["columns", "tags_not_null", "key_unique"]


def test_large_arrays_are_not_read_row_by_row() -> None:
    for name in ("measurements", "assignments"):
        rendered = str(constraints(TABLES[name])) + str(expectations(TABLES[name]))
        assert "exists(" not in rendered
        assert "to_be_unique" not in rendered


@each_contract
def test_bounds_are_written_in_full_precision(table: Table) -> None:
    for column in table.columns:
        assert "e+" not in limits(column)


def test_bound_with_many_digits() -> None:
    column = Column("n", "long", "Number.", "count", minimum=1234567, maximum=12345678.25)
    assert limits(column) == ">= 1234567, <= 12345678.25"


@each_contract
def test_expectations_say_which_rule_and_what_it_means(table: Table) -> None:
    for item in expectations(table):
        assert set(item) == {"type", "kwargs", "meta"}
        assert set(item["meta"]) == {"rule", "meaning"}
        assert item["meta"]["meaning"].endswith(".")


@each_table
def test_rule_names_are_unique_within_a_table_and_its_audit(table: Table) -> None:
    items = expectations(table) + (expectations(table.audit) if table.audit else [])
    names = [item["meta"]["rule"] for item in items]
    assert sorted(names) == sorted(set(names))


@each_contract
def test_key_is_unique_by_rows_or_by_audit(table: Table) -> None:
    keys = [
        item["kwargs"].get("column_list", [item["kwargs"].get("column")])
        for item in expectations(table)
        if item["type"].endswith("to_be_unique")
    ]
    assert keys == ([] if table.audit else [list(table.key)])


def test_queries_read_the_given_views_and_leave_the_batch() -> None:
    views = {"runs": "run_view", "streams": "stream_view"}
    queries = [
        item["kwargs"]["unexpected_rows_query"]
        for item in expectations(TABLES["scores"], views)
        if item["type"] == "unexpected_rows_expectation"
    ]
    for query in queries:
        assert set(re.findall(r"\{(\w*)\}", query)) == {"batch"}
    assert any("run_view" in query and "stream_view" in query for query in queries)


def test_views_are_named_like_the_tables_by_default() -> None:
    own = {name: name for name in TABLES}
    assert expectations(TABLES["pareto"]) == expectations(TABLES["pareto"], own)


def test_a_missing_view_is_named() -> None:
    with pytest.raises(ContractError, match="'averages_scores' reads scores: give a view"):
        expectations(TABLES["pareto"], {})


def test_audit_frames_may_carry_more_than_is_checked() -> None:
    audit = TABLES["assignments"].audit
    assert audit is not None
    assert expectations(audit)[0]["kwargs"]["exact_match"] is False
    assert expectations(TABLES["assignments"])[0]["kwargs"]["exact_match"] is True
