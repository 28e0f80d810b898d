"""Tables in 80 columns."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pipeline.base.text.fitted_table import Column, Fitted, dropped_line, fitted

pytestmark = pytest.mark.unit

COLUMNS = (Column("assignor", 3, True), Column("cost", 1), Column("moves/h", 4), Column("kept", 2))


def printed(table: Fitted, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    console.print(table.table)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def rows(name: str) -> list[tuple[str, tuple[str, ...]]]:
    cells = ("cooperative_sticky", "12.3", "0", "yes")
    return [(name, cells), ("b", cells)]


@pytest.mark.parametrize(
    ("length", "gone"),
    [
        (30, ()),
        (43, ("moves/h",)),
        (60, ("assignor", "moves/h")),
        (70, ("assignor", "moves/h", "kept")),
        (78, ("assignor", "cost", "moves/h", "kept")),
    ],
)
def test_names_stay_whole_and_columns_drop_out_by_rank(length: int, gone: tuple[str, ...]) -> None:
    name = "x" * length
    table = fitted("strategy", COLUMNS, rows(name), 80)
    assert table.dropped == gone
    lines = printed(table, 80)
    assert lines[2].startswith(name)
    assert max(map(len, lines)) <= 80
    assert len(lines) == 4


def test_a_name_that_is_wider_than_the_terminal_is_folded() -> None:
    lines = printed(fitted("strategy", COLUMNS, rows("z" * 100), 80), 80)
    assert "".join(line.strip() for line in lines).count("z") == 100


def test_without_a_limit_all_columns_stay() -> None:
    table = fitted("strategy", COLUMNS, rows("x" * 300), None)
    assert table.dropped == ()
    assert all("cooperative_sticky" in line for line in printed(table, 1000)[2:])


def test_the_line_says_what_is_missing_once() -> None:
    assert dropped_line(()) == ""
    assert dropped_line(("moves/h", "p99", "moves/h")) == (
        "Not shown for lack of width: moves/h, p99. --json has all figures."
    )
