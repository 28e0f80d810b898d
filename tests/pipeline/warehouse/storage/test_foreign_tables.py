"""How a table of another version differs from its contract, without any table."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.warehouse.storage.foreign_tables import LoggedTable, mismatches
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
        Column("note", "string", "A remark.", nullable=True, null_means="There is none."),
        Column("parts", "array<int>", "Its parts.", "identifier", minimum=0),
    ),
    key=("run_id",),
    partition_by=("run_id",),
    checks=(Check("noted", "Large things have a note.", "`size` < 9 OR `note` IS NOT NULL"),),
)
FIELDS = {field["name"]: field for field in render.struct_json(TABLE)["fields"]}
SAME = LoggedTable(FIELDS, TABLE.partition_by, render.constraints(TABLE))


def fields(**changes: Any) -> dict[str, Any]:
    """Columns of the table, changed, or left out where None."""
    return {
        name: {**FIELDS.get(name, {"type": "long", "nullable": True}), **changes.get(name, {})}
        for name in (*FIELDS, *(set(changes) - set(FIELDS)))
        if changes.get(name, 0) is not None
    }


def test_a_table_of_this_version_has_no_mismatch() -> None:
    assert [*mismatches(TABLE, SAME)] == []


def test_comments_and_white_space_do_not_count() -> None:
    columns = fields(size={"metadata": {"comment": "Other words."}})
    conditions = {name: text.replace(" ", "  ") for name, text in SAME.constraints.items()}
    existing = SAME._replace(columns=columns, constraints=conditions)
    assert [*mismatches(TABLE, existing)] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"columns": fields(note=None)}, "column note is missing"),
        ({"columns": fields(more={})}, "column more is unknown"),
        (
            {"columns": fields(size={"type": "integer"})},
            "column size must be long NOT NULL (got integer NOT NULL)",
        ),
        (
            {"columns": fields(note={"nullable": False})},
            "column note must be string (got string NOT NULL)",
        ),
        ({"partition_by": ()}, "must be partitioned by run_id"),
        ({"constraints": {}}, "constraint noted differs"),
        ({"constraints": {**SAME.constraints, "noted": "size < 10"}}, "constraint noted differs"),
        ({"constraints": {**SAME.constraints, "odd": "size > 1"}}, "constraint odd differs"),
    ],
)
def test_each_mismatch_is_named(change: dict[str, Any], words: str) -> None:
    assert words in [*mismatches(TABLE, SAME._replace(**change))]
