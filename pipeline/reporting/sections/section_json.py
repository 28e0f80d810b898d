"""Sections as JSON, for programs: the page's words, and the values of its rows unrounded."""

from __future__ import annotations

import json
from typing import Any

from pipeline.base.text.json_values import plain
from pipeline.reporting.sections.section import Field, Row, Section, Table, Written


def text(written: Written) -> str:
    """The answer, and each experiment with its sections."""
    content = {
        "answer": list(written.answer.answer),
        "notes": list(written.answer.notes),
        "experiments": [
            {"name": one.name, "words": one.words, "sections": [*map(_section, one.sections)]}
            for one in written.experiments
        ],
    }
    return json.dumps(plain(content), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _section(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "answer": section.answer,
        "tables": [*map(_table, section.tables)],
        "notes": section.notes,
    }


def _table(table: Table) -> dict[str, Any]:
    rows = [{"name": row.name, **_values(row, table)} for row in table.rows]
    return {"title": table.folded or table.title, "rows": rows}


def _values(row: Row, table: Table) -> dict[str, Any]:
    return {
        key: row.values[key] for field in table.fields for key in _keys(field) if key in row.values
    }


def _keys(field: Field) -> tuple[str, ...]:
    """Name of a value, and of the ends of its interval."""
    return field.key, f"{field.key}_low", f"{field.key}_high"
