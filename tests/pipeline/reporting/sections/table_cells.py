"""Tables as a page shows them."""

from __future__ import annotations

from pipeline.reporting.sections.section import Cell, Table


def heads(table: Table) -> list[str]:
    """Heads of the columns, without that of the names."""
    return [field.head for field in table.fields if field.head]


def cells(table: Table) -> dict[str, list[Cell]]:
    """Cells of the rows, by name."""
    fields = [field for field in table.fields if field.head]
    return {row.name: [field.write(row.values) for field in fields] for row in table.rows}
