"""What is rendered accepts and refuses what the contract does, at and just past each bound.

Constraints are evaluated by SQLite and expectations by the few lines below, which order
numbers as Spark does. The same cases run on Spark in test_spark_parity. Checks of several columns
are in test_checks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from schemas import TABLES
from schemas.render import constraints, expectations, struct_json
from tests.schemas import bounds_rows, tiny
from tests.schemas.bounds_rows import Case
from tests.schemas.sqlite_verdicts import holds, is_judged

CONTRACTS = bounds_rows.contracts()
ROWS = tiny.run()
SCALARS = {
    name: [case for case in bounds_rows.cases(table) if not table.column(case.column).is_array]
    for name, table in CONTRACTS.items()
}


def expected(expectation: Mapping[str, Any], value: Any) -> bool:
    """Whether one value meets an expectation about a column."""
    kind, kwargs = expectation["type"], expectation["kwargs"]
    if kind == "expect_column_values_to_not_be_null":
        return value is not None
    if value is None:
        return True
    if kind == "expect_column_values_to_be_in_set":
        return value in kwargs["value_set"]
    assert kind == "expect_column_values_to_be_between"
    low, high = kwargs["min_value"], kwargs["max_value"]
    above = low is None or _order(value) > _order(low)
    above = above or (value == low and not kwargs["strict_min"])
    return above and (high is None or _order(value) <= _order(high))


def _order(value: float) -> tuple[bool, float]:
    """Spark's order of doubles: NaN after everything."""
    return (True, 0.0) if math.isnan(value) else (False, value)


@pytest.mark.parametrize("name", CONTRACTS)
def test_expectations_agree_with_the_contract(name: str) -> None:
    by_column: dict[str, list[Mapping[str, Any]]] = {}
    for item in expectations(CONTRACTS[name]):
        if not item["type"].endswith("unique"):
            by_column.setdefault(item["kwargs"].get("column"), []).append(item)
    wrong = [
        case
        for case in SCALARS[name]
        if all(expected(item, case.value) for item in by_column.get(case.column, ())) != case.legal
    ]
    assert SCALARS[name]
    assert wrong == []


@pytest.mark.parametrize("name", CONTRACTS)
def test_constraints_agree_with_the_contract(name: str) -> None:
    conditions = constraints(CONTRACTS[name])
    fields = struct_json(CONTRACTS[name])["fields"]
    nullable = {field["name"]: field["nullable"] for field in fields}
    wrong = [case for case in SCALARS[name] if not _agrees(case, conditions, nullable)]
    assert wrong == []


def _agrees(case: Case, conditions: Mapping[str, str], nullable: Mapping[str, bool]) -> bool:
    names = (f"{case.column}_bounds", f"{case.column}_allowed")
    own = [conditions[rule] for rule in names if rule in conditions]
    if isinstance(case.value, float) and math.isnan(case.value):
        # SQLite takes NaN for null.
        return bool(own) and all(f"NOT isnan(`{case.column}`)" in condition for condition in own)
    accepted = all(holds(condition, {case.column: case.value}) for condition in own)
    if case.value is None:
        return nullable[case.column] == case.legal and (accepted or not case.legal)
    return accepted == case.legal


@pytest.mark.parametrize("name", TABLES)
def test_small_tables_expect_all_that_delta_enforces(name: str) -> None:
    rendered = {item["meta"]["rule"] for item in expectations(TABLES[name])}
    enforced = set(constraints(TABLES[name]))
    if TABLES[name].audit:
        enforced -= {check.name for check in TABLES[name].checks}
    assert enforced <= rendered


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_tiny_run_is_legal(name: str) -> None:
    conditions = {
        rule: condition
        for rule, condition in constraints(CONTRACTS[name]).items()
        if is_judged(condition)
    }
    for row in ROWS[name]:
        assert set(row) == {column.name for column in CONTRACTS[name].columns}
        assert [rule for rule, condition in conditions.items() if not holds(condition, row)] == []
