"""The data dictionary is complete, current and readable."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.experiments import data_dictionary, lineage
from schemas import TABLES, VIEWS, Table, View
from schemas.render.words import limits

DOCS = Path(__file__).parents[2] / "docs"
PAGES, LINEAGE = data_dictionary.pages(), lineage.of_tables()
OVERVIEW = PAGES["data-dictionary.md"]

each_page = pytest.mark.parametrize("text", PAGES.values(), ids=PAGES)

each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
DESCRIBED = {**TABLES, **VIEWS}
each_one = pytest.mark.parametrize("table", DESCRIBED.values(), ids=DESCRIBED)


def page(described: Table | View) -> str:
    """Page of a table or view."""
    return PAGES[f"tables/{described.name}.md"]


def test_pages_are_current() -> None:
    others = ("settings.md", "stages.md", "live-faults.md", "data-dictionary.md", "views.sql")
    on_disk = {
        path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8")
        for path in (*(DOCS / name for name in others), *(DOCS / "tables").iterdir())
    }
    assert on_disk == PAGES, "the pages are not current; run: make docs"


@each_one
def test_page_has_every_column_with_its_facts(table: Table | View) -> None:
    text = page(table)
    assert table.meaning in text
    for column in table.columns:
        (row,) = re.findall(rf"^\| `{column.name}` \|.*$", text, re.MULTILINE)
        for fact in (
            *(f"`{column.type}`", column.unit, column.meaning, column.null_means),
            limits(column),
        ):
            assert fact in row


@each_table
def test_page_has_every_rule(table: Table) -> None:
    text = page(table)
    for item in table.conditions:
        assert f"| `{item.name}` |" in text
        assert item.meaning in text


@each_one
def test_page_has_key_and_lineage(table: Table | View) -> None:
    text = page(table)
    assert "- Key: " + ", ".join(f"`{name}`" for name in table.key) in text
    own = table if isinstance(table, View) else LINEAGE[table.name]
    if table.name == "validations":
        assert "- Built from: all tables of a run\n" in text
    else:
        assert all(f"[{name}]({name}.md)" in text for name in own.reads)
    if not isinstance(own, View):
        assert f"- Written by: {', '.join(own.written_by)}" in text


def test_every_table_and_view_is_listed() -> None:
    for name, one in DESCRIBED.items():
        assert f"[{name}](tables/{name}.md) | {one.grain} |" in OVERVIEW


@each_page
def test_rows_of_grids_have_as_many_cells_as_their_heads(text: str) -> None:
    for grid in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in grid.splitlines()}
        assert len(widths) == 1, grid


@each_page
def test_nothing_would_be_taken_for_html(text: str) -> None:
    outside_code = re.sub(r"`[^`\n]*`", "", text)
    assert not re.search(r"<[a-zA-Z/]", outside_code)
