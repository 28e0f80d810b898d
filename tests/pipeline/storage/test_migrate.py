"""The rule by which tables of other versions are changed or refused, without any table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pipeline.errors import InputError
from pipeline.storage import migrate
from pipeline.storage.migrate import Change, Found
from schemas import render
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table

TABLE = Table(
    name="things",
    meaning="Things that tests are made of.",
    grain="thing",
    columns=(
        Column("run_id", "string", "Run of the thing."),
        Column("size", "long", "How large it is.", "bytes", minimum=0),
        Column("note", "string", "What is known.", nullable=True, null_means="Nothing."),
        Column("parts", "array<int>", "Its parts.", "identifier", minimum=0),
    ),
    key=("run_id",),
    partition_by=("run_id",),
    checks=(Check("noted", "Large things have a note.", "`size` < 9 OR `note` IS NOT NULL"),),
)


def found(**changes: Any) -> Found:
    """The table as its contract makes it, with some changes."""
    fields = {field["name"]: field for field in render.struct_json(TABLE)["fields"]}
    state = Found(fields, TABLE.partition_by, dict(render.constraints(TABLE)))
    return state._replace(**changes)


def columns(**changes: Any) -> dict[str, Any]:
    """Columns of the table, changed, or left out where None."""
    fields = dict(found().columns)
    for name, change in changes.items():
        fields[name] = {**fields.get(name, {"name": name}), **(change or {})}
    return {name: field for name, field in fields.items() if changes.get(name, 0) is not None}


def test_a_table_of_this_version_stays_as_it_is() -> None:
    assert migrate.changes(TABLE, found()) == []


def test_a_column_that_may_be_null_is_added_with_its_comment() -> None:
    (change,) = migrate.changes(TABLE, found(columns=columns(note=None)))
    assert change.statement.startswith("ALTER TABLE {table} ADD COLUMNS (`note` STRING COMMENT '")
    assert "NOT NULL" not in change.statement
    assert change.statement.format(table="t").startswith("ALTER TABLE t ADD")


def test_a_column_may_be_null_from_now_on() -> None:
    old = found(columns=columns(note={"nullable": False}))
    statement = "ALTER TABLE {table} ALTER COLUMN `note` DROP NOT NULL"
    assert migrate.changes(TABLE, old) == [Change("things", statement)]


def test_a_column_of_another_version_stays() -> None:
    more = columns(colour={"type": "string", "nullable": True})
    assert migrate.changes(TABLE, found(columns=more)) == []


def test_more_partition_columns_stay() -> None:
    assert migrate.changes(TABLE, found(partition_by=("size", "run_id"))) == []


def test_a_constraint_is_added_once_rows_are_known_to_keep_it() -> None:
    constraints = dict(found().constraints)
    condition = constraints.pop("noted")
    (change,) = migrate.changes(TABLE, found(constraints=constraints))
    assert change.statement.startswith("ALTER TABLE {table} ADD CONSTRAINT `noted` CHECK (")
    assert (change.condition, change.name) == (condition, "noted")


def test_a_constraint_in_other_words_is_replaced_and_one_that_is_gone_dropped() -> None:
    constraints = dict(found().constraints) | {"noted": "true", "older": "true"}
    message = [
        change.statement for change in migrate.changes(TABLE, found(constraints=constraints))
    ]
    assert message[:2] == [
        "ALTER TABLE {table} DROP CONSTRAINT `noted`",
        "ALTER TABLE {table} DROP CONSTRAINT `older`",
    ]
    assert "ADD CONSTRAINT `noted`" in message[2]


@pytest.mark.parametrize(
    ("old", "said"),
    [
        (found(columns=columns(size=None)), "required column size is missing"),
        (
            found(columns=columns(size={"type": "integer"})),
            "column size must be long (got integer)",
        ),
        (
            found(columns=columns(parts={"type": {"type": "array", "elementType": "long"}})),
            "column parts must be array<integer> (got array<long>)",
        ),
        (
            found(columns=columns(size={"nullable": True})),
            "column size must be NOT NULL",
        ),
        (
            found(columns=columns(colour={"type": "string", "nullable": False})),
            "column colour is NOT NULL but not in the contract",
        ),
        (
            found(partition_by=("size",)),
            "must be partitioned by run_id",
        ),
    ],
)
def test_what_is_refused_is_named(old: Found, said: str) -> None:
    with pytest.raises(InputError) as caught:
        migrate.changes(TABLE, old)
    assert str(caught.value) == f"table things: {said}; {migrate.REMEDY}"


def test_white_space_is_no_change() -> None:
    spaced = {name: f" {text} ".replace("(", " ( ") for name, text in found().constraints.items()}
    assert migrate.changes(TABLE, found(constraints=spaced)) == []


def test_all_problems_of_a_table_are_told_at_once() -> None:
    old = found(columns=columns(size=None, run_id={"type": "long"}), partition_by=())
    with pytest.raises(InputError, match=r"run_id .*long.*size is missing.*partitioned by"):
        migrate.changes(TABLE, old)


def test_braces_in_a_comment_are_kept() -> None:
    more = Column("kind", "string", "One of {a, b}.", nullable=True, null_means="None.")
    (added,) = migrate.changes(replace(TABLE, columns=(*TABLE.columns, more)), found())
    assert "One of {a, b}." in added.statement.format(table="t")
