"""Contracts as Spark schemas and as DDL."""

from typing import Any

from schemas.column import Column
from schemas.render import conditions
from schemas.render.constraints import constraints
from schemas.render.words import comment, table_comment
from schemas.table import Table

_JSON_TYPES = {"int": "integer"}
_DDL_TYPES = {"long": "BIGINT"}


def struct_json(table: Table) -> dict[str, Any]:
    """Render the schema for ``StructType.fromJson``, with a comment in each column's metadata.

    Arrays are declared with elements that may be null, always: Delta does not enforce the
    opposite, and where it is declared Spark no longer looks for nulls, so that a null element
    could be written and never be found. Constraints and rules look for them instead.
    """
    return {"type": "struct", "fields": [_field(column) for column in table.columns]}


def _field(column: Column) -> dict[str, Any]:
    element = _JSON_TYPES.get(column.element_type, column.element_type)
    array = {"type": "array", "elementType": element, "containsNull": True}
    return {
        "name": column.name,
        "type": array if column.is_array else element,
        "nullable": column.nullable,
        "metadata": {"comment": comment(column)},
    }


def ddl(table: Table, identifier: str | None = None) -> str:
    """Render the statement that creates the table, comments and constraints in one commit.

    identifier: SQL name of the table, such as ``delta.`/path```; its own name where None.
    """
    columns = ",\n  ".join(definition(column) for column in table.columns)
    name = identifier or conditions.quoted(table.name)
    parts = [
        f"CREATE TABLE IF NOT EXISTS {name} (\n  {columns}\n)",
        "USING DELTA",
        f"COMMENT {conditions.literal(table_comment(table))}",
    ]
    if table.partition_by:
        parts.insert(2, f"PARTITIONED BY ({', '.join(map(conditions.quoted, table.partition_by))})")
    properties = [
        f"{conditions.literal(f'delta.constraints.{name}')} = {conditions.literal(condition)}"
        for name, condition in constraints(table).items()
    ]
    if properties:
        listed = ",\n  ".join(properties)
        parts.append(f"TBLPROPERTIES (\n  {listed}\n)")
    return "\n".join(parts)


def definition(column: Column) -> str:
    """Render one column as statements that create or change a table say it."""
    element = _DDL_TYPES.get(column.element_type, column.element_type.upper())
    kind = f"ARRAY<{element}>" if column.is_array else element
    null = "" if column.nullable else " NOT NULL"
    name, meaning = conditions.quoted(column.name), conditions.literal(comment(column))
    return f"{name} {kind}{null} COMMENT {meaning}"
