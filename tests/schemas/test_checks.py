"""Checks of one row: each refuses what it should, and no part of one is in vain."""

from __future__ import annotations

import pytest

from schemas import Check, Column, Table
from tests.schemas import bounds_rows, mutants, neighbours, tiny
from tests.schemas.checked import CHECKED, Changes
from tests.schemas.sqlite_verdicts import is_judged, verdicts

CONTRACTS = bounds_rows.contracts()
ROWS = tiny.run()
CHECKS = [(table, check) for table in CONTRACTS.values() for check in table.checks]
JUDGED = [(table, check) for table, check in CHECKS if is_judged(check.sql)]
NAMES = [f"{table.name}: {check.name}" for table, check in JUDGED]

each_check = pytest.mark.parametrize(("table", "check"), JUDGED, ids=NAMES)
each_table = pytest.mark.parametrize("name", CONTRACTS)


def known(table: str, check: str) -> Changes:
    """Changes by hand."""
    return CHECKED.get(table, {}).get(check, Changes())


def legal(table: str, check: str) -> list[tiny.Row]:
    """Rows that the check must accept: of the tiny run, and those by hand."""
    return [*ROWS[table], *(ROWS[table][0] | change for change in known(table, check).legal)]


def starts(table: str) -> list[tiny.Row]:
    """Rows to search from: of the tiny run, and of all kinds that a check of the table knows."""
    kinds = [change for changes in CHECKED.get(table, {}).values() for change in changes.legal]
    return [*ROWS[table], *(ROWS[table][0] | change for change in kinds)]


def undecided(table: Table, check: Check, rows: list[tiny.Row]) -> list[str]:
    """Comparisons that could be true, or false, without another verdict on any neighbour."""
    left = mutants.fixed(check.sql)
    for changed in (0, 1, 2):
        if not left:
            break
        near = [item.row for item in neighbours.near(table, check, rows, changed)]
        judged = verdicts([check.sql, *left.values()], near)
        left = {
            part: sql
            for i, (part, sql) in enumerate(left.items())
            if all(verdict[0] == verdict[i + 1] for verdict in judged)
        }
    return list(left)


@each_check
def test_a_check_can_fail(table: Table, check: Check) -> None:
    assert neighbours.broken(table, check, starts(table.name))


@each_check
def test_every_part_of_a_check_decides(table: Table, check: Check) -> None:
    assert undecided(table, check, starts(table.name)) == []


@each_check
def test_comparisons_are_the_right_way_round(table: Table, check: Check) -> None:
    """Turned round, each accepts an illegal row or refuses a legal one."""
    turned = mutants.turned(check.sql)
    right = legal(table.name, check.name)
    wrong = [ROWS[table.name][0] | change for change in known(table.name, check.name).illegal]
    judged = verdicts(list(turned.values()), [*right, *wrong])
    expected = [True] * len(right) + [False] * len(wrong)
    either = [
        part
        for i, part in enumerate(turned)
        if all(verdict[i] == value for verdict, value in zip(judged, expected, strict=True))
    ]
    assert either == []


@each_table
def test_rows_by_hand(name: str) -> None:
    wrong = []
    for table, check in JUDGED:
        for is_legal, listed in zip((True, False), known(table.name, check.name), strict=True):
            rows = [ROWS[table.name][0] | change for change in listed if table.name == name]
            assert all(row.keys() == ROWS[name][0].keys() for row in rows)
            judged = verdicts([check.sql], rows)
            wrong += [row for row, (holds,) in zip(rows, judged, strict=True) if holds != is_legal]
    assert wrong == []


def test_rows_by_hand_are_of_checks() -> None:
    named = {(table, check) for table, checks in CHECKED.items() for check in checks}
    assert named <= {(table.name, check.name) for table, check in CHECKS}
    for table, check in CHECKS:
        assert is_judged(check.sql) or all(known(table.name, check.name)), check.name


COLUMNS = (
    Column("n", "int", "Some number.", "count", minimum=0),
    Column("low", "double", "Lower end.", "s", minimum=0),
    Column("high", "double", "Upper end.", "s", minimum=0),
    Column("kind", "string", "Some kind.", allowed=("a", "b")),
)
PLANTED = [{"n": 1, "low": 1.0, "high": 2.0, "kind": "a"}]


@pytest.mark.parametrize(
    "sql",
    [
        "true",
        "n >= 0",
        "n IS NOT NULL",
        "kind IN ('a', 'b')",
        "low <= high OR low >= 0",
        "low IS NOT NULL OR low <= high",
        "CASE kind WHEN 'c' THEN low > high ELSE true END",
    ],
)
def test_a_check_that_cannot_fail_is_found(sql: str) -> None:
    assert not neighbours.broken(*_planted(sql))


@pytest.mark.parametrize(
    "sql", ["low <= high AND n >= 0", "low <= high AND kind <> 'c'", "n IS NULL OR low <= high"]
)
def test_a_part_that_decides_nothing_is_found(sql: str) -> None:
    table, check, rows = _planted(sql)
    assert neighbours.broken(table, check, rows)
    assert undecided(table, check, rows)


def _planted(sql: str) -> tuple[Table, Check, list[tiny.Row]]:
    check = Check("planted", "It is too weak.", sql)
    return Table("things", "All things.", "thing", COLUMNS, ("n",), checks=(check,)), check, PLANTED
