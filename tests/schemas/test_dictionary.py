"""The data dictionary is complete, current and readable."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from schemas import TABLES, VIEWS, Table, View
from schemas.render import dictionary
from schemas.render.words import limits

PAGE = Path(__file__).parents[2] / "docs" / "data-dictionary.md"
TEXT = dictionary(TABLES, VIEWS)

each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
DESCRIBED = {**TABLES, **VIEWS}
each_one = pytest.mark.parametrize("table", DESCRIBED.values(), ids=DESCRIBED)


def section(table: Table | View) -> str:
    """Part of the page about one table or view."""
    return section_named(table.name)


def test_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == TEXT, (
        "docs/data-dictionary.md is older than the contracts; "
        "run: python -m schemas > docs/data-dictionary.md"
    )


def test_command_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_module("schemas", run_name="__main__")
    assert capsys.readouterr().out == TEXT


@each_one
def test_section_has_every_column_with_its_facts(table: Table | View) -> None:
    text = section(table)
    assert table.meaning in text
    for column in table.columns:
        (row,) = re.findall(rf"^\| `{column.name}` \|.*$", text, re.MULTILINE)
        for fact in (
            *(f"`{column.type}`", column.unit, column.meaning, column.null_means),
            limits(column),
        ):
            assert fact in row


@each_table
def test_section_has_every_rule(table: Table) -> None:
    text = section(table)
    for item in table.conditions:
        assert f"| `{item.name}` |" in text
        assert item.meaning in text


@each_one
def test_section_has_key_and_lineage(table: Table | View) -> None:
    text = section(table)
    assert "- Key: " + ", ".join(f"`{name}`" for name in table.key) in text
    for name in table.reads:
        assert f"[{name}](#{name})" in text
    if isinstance(table, Table):
        assert f"- Written by: {', '.join(table.written_by)}" in text


def test_every_view_is_listed() -> None:
    listed = section_named("Views")
    assert all(f"[{name}](#{name}) | {view.grain} |" in listed for name, view in VIEWS.items())


def section_named(name: str) -> str:
    return TEXT.split(f"\n## {name}\n")[1].split("\n## ")[0]


def test_links_lead_to_sections() -> None:
    headings = {name.lower() for name in re.findall(r"^## (\w+)$", TEXT, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([\w-]+)\)", TEXT)) <= headings


def test_rows_of_grids_have_as_many_cells_as_their_heads() -> None:
    for grid in re.findall(r"(?:^\|.*\n)+", TEXT, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in grid.splitlines()}
        assert len(widths) == 1, grid


def test_nothing_would_be_taken_for_html() -> None:
    outside_code = re.sub(r"`[^`\n]*`", "", TEXT)
    assert not re.search(r"<[a-zA-Z/]", outside_code)
