"""Which comments of a table are rewritten."""

from __future__ import annotations

import pytest

from pipeline.storage.comments import statements
from schemas import TABLES
from schemas.render import comment, table_comment
from schemas.render.conditions import literal

pytestmark = pytest.mark.unit

RUNS = TABLES["runs"]
CURRENT = {column.name: comment(column) for column in RUNS.columns}


def test_comments_that_are_current_are_left_alone() -> None:
    assert list(statements(RUNS, table_comment(RUNS), CURRENT)) == []


def test_each_comment_that_differs_is_one_statement() -> None:
    found = list(statements(RUNS, "Old.", CURRENT | {"seed": "Old.", "error": ""}))
    assert [(before, after.split(" COMMENT ")[0]) for before, after in found] == [
        ("COMMENT ON TABLE", f"IS {literal(table_comment(RUNS))}"),
        ("ALTER TABLE", "ALTER COLUMN `seed`"),
        ("ALTER TABLE", "ALTER COLUMN `error`"),
    ]


def test_columns_of_one_side_alone_are_no_matter_of_comments() -> None:
    older = {name: said for name, said in CURRENT.items() if name != "seed"} | {"gone": "Old."}
    assert list(statements(RUNS, table_comment(RUNS), older)) == []
