"""Contracts as CHECK constraints of Delta tables, enforced on each write."""

from collections.abc import Iterator

from schemas.column import Column
from schemas.render import conditions
from schemas.table import Table


def constraints(table: Table) -> dict[str, str]:
    """Render the conditions on single rows, by name.

    Names are ``<column>_bounds``, ``<column>_allowed`` and ``<column>_elements``, then those
    of the table's checks; the suite that `expectations` renders uses the same ones. Each
    condition is true for a legal row, never null, since Delta takes null for a violation.
    Elements of arrays are left to the audit frame where a table has one, because looking at
    each on every write of a large table is too slow.
    """
    rendered: dict[str, str] = {}
    for column in table.columns:
        rendered.update(_of_column(column, elements=table.audit is None))
    return rendered | {check.name: check.sql for check in table.checks}


def _of_column(column: Column, *, elements: bool) -> Iterator[tuple[str, str]]:
    if column.is_array:
        legal = conditions.legal_elements(column) if elements else ""
        if legal:
            yield f"{column.name}_elements", conditions.or_null(column, legal)
        return
    bounds = conditions.within_bounds(column, conditions.quoted(column.name))
    if bounds:
        yield f"{column.name}_bounds", conditions.or_null(column, bounds)
    if column.allowed:
        yield f"{column.name}_allowed", conditions.or_null(column, conditions.among_allowed(column))
