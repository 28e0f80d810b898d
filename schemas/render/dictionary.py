"""The data dictionary in Markdown."""

from collections.abc import Iterable, Iterator, Mapping

from schemas.column import Column
from schemas.render.words import limits
from schemas.table import Table
from schemas.view import View

_INTRODUCTION = """\
# Data dictionary

Generated from the contracts in `schemas/` by `python -m schemas > docs/data-dictionary.md`. To
change this page, change the contracts; a test fails if the two differ.

Each table is a Delta table in a folder of the same name in the warehouse. All tables have
`run_id`; use only rows of runs whose `runs.status` is `published`. Speeds and capacities are in
bytes per second. In generated streams with the default capacity of 100, a speed is also a
percentage of a consumer. Numbers are never NaN, and are infinite only where *values* allows it.
*null* gives the meaning of a missing value or array element ("never" if the column is
non-nullable).

Rules are checked before a run is published. Their results are in [validations](#validations),
under the name of the rule. These rules exist in addition to those listed on this page: `columns`
(the table has exactly the columns listed), `key_unique`, and per column, depending on its entry,
`<column>_not_null`, `<column>_bounds`, `<column>_allowed` and `<column>_elements`. Bounds, allowed
values and rules checked "on write" are also constraints of the Delta table, so a violating row
cannot be stored. Entries `audit_...` in `validations` check the counts
of rows and violations of a large table.

The comments of the Delta tables and columns contain the same text. The [views](#views) join the
tables for common queries; see [querying results](analyst.md) for examples.
"""

_VIEWS = """\
Queries over published runs with the joins included. `groupscale sql` provides them next to the
tables; in Spark, call `pipeline.storage.views.register`. They are computed on each query, not
stored.
"""


def dictionary(tables: Mapping[str, Table], views: Mapping[str, View]) -> str:
    """Render the data dictionary: lineage, then a section per table and view, as Markdown."""
    parts = [_INTRODUCTION, _overview(tables.values()), _lineage(tables.values())]
    parts += [_section(table) for table in tables.values()]
    parts += [_list_of_views(views.values()), *map(_section_of_view, views.values())]
    return "\n".join(parts)


def _overview(tables: Iterable[Table]) -> str:
    rows = [
        (f"[{table.name}](#{table.name})", table.grain, ", ".join(table.written_by))
        for table in tables
    ]
    return "## Tables\n\n" + _grid(("table", "one row per", "written by"), rows)


def _lineage(tables: Iterable[Table]) -> str:
    """Draw the lineage of the tables, except `validations`, which reads all of them."""
    listed = [table for table in tables if table.name != "validations"]
    arrows = [f"    {source} --> {table.name}" for table in listed for source in table.reads]
    return "## Lineage\n\n```mermaid\nflowchart LR\n" + "\n".join(arrows) + "\n```\n"


def _list_of_views(views: Iterable[View]) -> str:
    rows = [(f"[{view.name}](#{view.name})", view.grain, _links(view.reads)) for view in views]
    return f"## Views\n\n{_VIEWS}\n" + _grid(("view", "one row per", "built from"), rows)


def _section_of_view(view: View) -> str:
    facts = [
        ("View, one row per", view.grain),
        ("Key", _code(view.key)),
        ("Built from", _links(view.reads)),
    ]
    return _body(view, facts)


def _body(described: Table | View, facts: Iterable[tuple[str, str]]) -> str:
    """The parts common to sections of tables and views."""
    lines = "\n".join(f"- {name}: {value}" for name, value in facts)
    columns = _grid(
        ("column", "type", "unit", "values", "null", "meaning"),
        [_column_row(column) for column in described.columns],
    )
    return "\n".join((f"## {described.name}\n", f"{described.meaning}\n", f"{lines}\n", columns))


def _section(table: Table) -> str:
    facts = [
        ("One row per", table.grain),
        ("Key", _code(table.key)),
        ("Partitioned by", _code(table.partition_by)),
        ("Written by", ", ".join(table.written_by)),
        ("Built from", _links(table.reads) or "-"),
    ]
    parts = [_body(table, facts)]
    rules = list(_rules(table))
    if rules:
        parts.append(_grid(("rule", "checked", "condition"), rules))
    return "\n".join(parts)


def _column_row(column: Column) -> tuple[str, ...]:
    kind = f"`{column.type}`"
    null = column.null_means or "never"
    return (f"`{column.name}`", kind, column.unit, limits(column), null, column.meaning)


def _rules(table: Table) -> Iterator[tuple[str, ...]]:
    again = "on write" if table.audit else "on write, before publishing"
    for check in table.checks:
        yield f"`{check.name}`", again, check.meaning
    for rule in table.rules:
        yield f"`{rule.name}`", "before publishing", rule.meaning
    if table.audit:
        yield from _audited(table.audit)


def _audited(audit: Table) -> Iterator[tuple[str, ...]]:
    for column in audit.columns:
        if column.maximum is not None:
            text = f"{column.meaning} Must be {limits(column)}."
            yield f"`{column.name}`", "before publishing", text
    for item in audit.conditions:
        yield f"`{item.name}`", "before publishing", item.meaning


def _links(names: Iterable[str]) -> str:
    return ", ".join(f"[{name}](#{name})" for name in names)


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _grid(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    escaped = (tuple(cell.replace("|", "\\|") for cell in line) for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in escaped)
