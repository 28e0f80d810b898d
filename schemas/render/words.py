"""Contracts in words, for comments, messages and the data dictionary."""

from schemas.column import Column
from schemas.table import Table


def comment(column: Column) -> str:
    """Give meaning, unit, bounds and meaning of null in one line: the comment of a Delta column.

    >>> comment(Column("p50", "double", "Median.", "s", nullable=True, null_means="No data."))
    'Median. Unit: s. Values: finite. Null: No data.'
    """
    parts = [column.meaning]
    if column.unit:
        parts.append(f"Unit: {column.unit}.")
    if limits(column):
        parts.append(f"Values: {limits(column)}.")
    if column.null_means:
        what = "Null element" if column.element_nullable else "Null"
        parts.append(f"{what}: {column.null_means}")
    return " ".join(parts)


def table_comment(table: Table) -> str:
    """Give meaning, grain and key in one line: the comment of a Delta table.

    >>> id_ = Column("id", "string", "Identifier.")
    >>> things = Table("things", "All things.", "thing", (id_,), ("id",))
    >>> table_comment(things)
    'All things. One row per thing. Key: id.'
    """
    return f"{table.meaning} One row per {table.grain}. Key: {', '.join(table.key)}."


def limits(column: Column) -> str:
    """Give the legal values besides null, nothing where every value of the type is legal.

    >>> limits(Column("delta", "double", "Volatility.", "%", minimum=0, maximum=100))
    '>= 0, <= 100'
    >>> limits(Column("p50", "double", "Median.", "s", exclusive_minimum=0, infinity_allowed=True))
    '> 0, may be infinite'
    >>> limits(Column("source", "string", "Origin.", allowed=("generated", "trace")))
    'generated, trace'
    """
    if column.minimum is not None and column.minimum == column.maximum:
        return number(column.minimum)
    parts = list(column.allowed)
    if column.exclusive_minimum is not None:
        parts.append(f"> {number(column.exclusive_minimum)}")
    if column.minimum is not None:
        parts.append(f">= {number(column.minimum)}")
    if column.maximum is not None:
        parts.append(f"<= {number(column.maximum)}")
    if column.element_type == "double" and column.maximum is None:
        parts.append("may be infinite" if column.infinity_allowed else "finite")
    return ", ".join(parts)


def number(value: float) -> str:
    """Write a bound in full precision, as people and SQL read it.

    >>> number(100.0), number(0.25)
    ('100', '0.25')
    """
    return str(int(value)) if value == int(value) else repr(value)
