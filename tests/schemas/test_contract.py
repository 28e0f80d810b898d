"""What a contract refuses to be."""

from __future__ import annotations

from typing import Any

import pytest

from schemas import Check, Column, ContractError, Rule, Table
from schemas.table import index

ID = Column("id", "string", "Name of the thing.")
OTHER = Rule(
    "all_known", "Each is known.", "SELECT * FROM {batch} b ANTI JOIN {others} o USING (id)"
)


def table(**changes: Any) -> Table:
    """Build a small contract, with changes."""
    fields = {
        "name": "things",
        "meaning": "What there is.",
        "grain": "thing",
        "columns": (ID,),
        "key": ("id",),
    }
    return Table(**{**fields, **changes})


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"name": "Rate"}, "lower case"),
        ({"name": "rate__x"}, "lower case"),
        ({"meaning": ""}, "meaning must be"),
        ({"meaning": "No full stop"}, "meaning must be"),
        ({"type": "float"}, "unknown type 'float'"),
        ({"unit": ""}, "a number needs a unit"),
        ({"type": "string"}, "only numbers have a unit"),
        ({"nullable": True}, "null_means must say"),
        ({"null_means": "Absent."}, "nothing is null"),
        ({"element_nullable": True, "null_means": "Absent."}, "only arrays have elements"),
        ({"type": "string", "unit": "", "minimum": 0}, "only numbers have bounds"),
        ({"minimum": 0, "exclusive_minimum": 0}, "two lower bounds"),
        ({"type": "long", "infinity_allowed": True}, "only doubles can be infinite"),
        ({"maximum": 1, "infinity_allowed": True}, "infinite, yet bounded above"),
        ({"allowed": ("a",)}, "only strings have allowed values"),
    ],
)
def test_column_refuses(fields: dict[str, Any], problem: str) -> None:
    sound: dict[str, Any] = {
        "name": "rate",
        "type": "double",
        "meaning": "Write speed.",
        "unit": "bytes/s",
    }
    Column(**sound)
    with pytest.raises(ContractError, match=problem):
        Column(**{**sound, **fields})


def test_column_names_every_problem_at_once() -> None:
    with pytest.raises(ContractError, match=r"column 'Rate'.*lower case.*meaning.*needs a unit"):
        Column("Rate", "double", "")


@pytest.mark.parametrize(
    ("kind", "part"), [("array<double>", "double"), ("long", "long"), ("array<string>", "string")]
)
def test_element_type(kind: str, part: str) -> None:
    unit = "" if part == "string" else "s"
    column = Column("x", kind, "Some value.", unit)
    assert column.element_type == part
    assert column.is_array == kind.startswith("array")


def test_check_refuses_other_tables() -> None:
    with pytest.raises(ContractError, match="sees one row"):
        Check("known", "Each is known.", "id IN (SELECT id FROM {others})")


def test_rule_refuses_to_ignore_the_rows_under_test() -> None:
    with pytest.raises(ContractError, match=r"must read the rows, \{batch\}"):
        Rule("known", "Each is known.", "SELECT * FROM {others}")


def test_rule_binds_other_tables_and_leaves_the_batch() -> None:
    assert OTHER.tables == ("others",)
    bound = OTHER.bound({"others": "v1", "unused": "v2"})
    assert bound == "SELECT * FROM {batch} b ANTI JOIN v1 o USING (id)"


def test_rule_names_the_view_that_is_missing() -> None:
    with pytest.raises(ContractError, match="give a view for others"):
        OTHER.bound({"streams": "v1"})


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": "Things"}, "lower case"),
        ({"meaning": "nothing"}, "meaning must be"),
        ({"columns": (ID, ID)}, "columns given twice: id"),
        ({"key": ()}, "needs a key"),
        ({"checks": (Check("id", "It is one.", "TRUE"),)}, "checks named like columns: id"),
        ({"key": ("name",)}, "key names no columns: name"),
        ({"partition_by": ("day",)}, "partition_by names no columns: day"),
        ({"rules": (OTHER, OTHER)}, "checks or rules given twice: all_known"),
        (
            {"rules": (OTHER,), "audit": table(name="things_audit", rules=(OTHER,))},
            "checks or rules given twice: all_known",
        ),
    ],
)
def test_table_refuses(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ContractError, match=problem):
        table(**changes)


def test_table_finds_its_columns() -> None:
    assert table().column("id") is ID
    with pytest.raises(ContractError, match="no column 'name'; there are id"):
        table().column("name")


def test_index_keeps_the_order() -> None:
    tables = index(table(), table(name="others"))
    assert list(tables) == ["things", "others"]


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        ((table(), table()), "tables given twice: things"),
        ((table(rules=(OTHER,)),), "tables that do not exist: others"),
        (
            (table(audit=table(name="things_audit", rules=(OTHER,))),),
            "tables that do not exist: others",
        ),
    ],
)
def test_index_refuses(tables: tuple[Table, ...], problem: str) -> None:
    with pytest.raises(ContractError, match=problem):
        index(*tables)
