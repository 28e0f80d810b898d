"""What a terminal prints of a run, as a file, so that no command reads the run's tables again."""

from __future__ import annotations

import json
from operator import itemgetter, methodcaller
from typing import Any, NamedTuple

from pipeline.reporting.sections.published_section import PublishedSection, Shown
from pipeline.reporting.sections.section import (
    Cell,
    Experiment,
    Field,
    Row,
    Section,
    Table,
    Written,
)


class Stored(NamedTuple):
    """What was written about a run, with the cells as they were written."""

    answer: Section
    experiments: list[Experiment]
    published: PublishedSection


def text(written: Written) -> str:
    """Answer, experiments and published figures without charts, and without what a page adds."""
    content = {
        "answer": _section(written.answer),
        "experiments": [
            {"name": one.name, "words": one.words, "sections": [*map(_section, one.sections)]}
            for one in written.experiments
        ],
        "published": [one._asdict() for one in written.published.every],
    }
    # NumPy's scalars are not JSON.
    return json.dumps(content, ensure_ascii=False, default=methodcaller("item"))


def _section(section: Section) -> dict[str, Any]:
    return section._asdict() | {"tables": [*map(_table, section.tables)], "charts": []}


def _table(table: Table) -> dict[str, Any]:
    fields = [field for field in table.fields if field.terminal]
    rows = [
        {"name": row.shown, "cells": [field.write(row.values) for field in fields]}
        for row in table.rows
        if not row.detail
    ]
    return table._asdict() | {"fields": [field.head for field in fields], "rows": rows}


def read(stored: str) -> Stored:
    """What `text` made a text of."""
    content = json.loads(stored)
    return Stored(
        _read_section(content["answer"]),
        [
            Experiment(one["name"], one["words"], [*map(_read_section, one["sections"])])
            for one in content["experiments"]
        ],
        PublishedSection.of([Shown(**one) for one in content["published"]]),
    )


def _read_section(content: dict[str, Any]) -> Section:
    return Section(**content | {"tables": [*map(_read_table, content["tables"])]})


def _read_table(content: dict[str, Any]) -> Table:
    heads = enumerate(content["fields"])
    fields = [Field(head, str(place), itemgetter(str(place)), True) for place, head in heads]
    rows = [
        Row(row["name"], {str(place): Cell(*cell) for place, cell in enumerate(row["cells"])})
        for row in content["rows"]
    ]
    return Table(**content | {"fields": fields, "rows": rows})
