"""The table that commands print."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from pipeline.base import text
from pipeline.base.text.plain_table import plain_table

pytestmark = pytest.mark.unit

PIPELINE = Path(text.__file__).parents[2]


def test_a_line_is_under_the_head_and_none_around() -> None:
    console = Console(width=40, color_system=None)
    table = plain_table()
    for head in ("name", "n"):
        table.add_column(head)
    table.add_row("keda", "3")
    with console.capture() as shown:
        console.print(table)
    lines = [line.rstrip() for line in shown.get().splitlines()]
    assert lines == ["name  n", "─" * 7, "keda  3"]


def test_no_other_module_chooses_the_same() -> None:
    modules = [file for file in PIPELINE.rglob("*.py") if "show_edge=False" in file.read_text()]
    assert [file.name for file in modules] == ["plain_table.py"]
