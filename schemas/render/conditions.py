"""Contracts of columns as Spark SQL conditions."""

from sys import float_info

from schemas.column import Column
from schemas.render.words import number


def quoted(name: str) -> str:
    """Quote a name as an identifier that no keyword of SQL can be mistaken for."""
    return f"`{name}`"


def literal(text: str) -> str:
    r"""Quote text as a string of Spark SQL.

    >>> print(literal("the run's"))
    'the run\'s'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def within_bounds(column: Column, value: str) -> str:
    """State that ``value`` is a legal number of the column; empty where every one is.

    Spark orders NaN above every number, infinity included, so a lower bound alone lets it
    pass: it is excluded by name, and so is infinity where it is not allowed.
    """
    terms = []
    double = column.element_type == "double"
    if double:
        terms.append(f"NOT isnan({value})")
    if column.exclusive_minimum is not None:
        terms.append(f"{value} > {number(column.exclusive_minimum)}")
    elif column.minimum is not None:
        terms.append(f"{value} >= {number(column.minimum)}")
    elif double:
        terms.append(f"{value} >= {-float_info.max!r}")
    if column.maximum is not None:
        terms.append(f"{value} <= {number(column.maximum)}")
    elif double and not column.infinity_allowed:
        terms.append(f"{value} <= {float_info.max!r}")
    return " AND ".join(terms)


def among_allowed(column: Column) -> str:
    """State that a string is one of the allowed ones."""
    listed = ", ".join(literal(value) for value in column.allowed)
    return f"{quoted(column.name)} IN ({listed})"


def legal_elements(column: Column) -> str:
    """State that every element of an array is legal; empty where every one is."""
    legal = within_bounds(column, "x")
    if column.element_nullable:
        illegal = f"x IS NOT NULL AND NOT ({legal})" if legal else ""
    else:
        # Delta would store, but not enforce, that an array has no null elements.
        illegal = f"x IS NULL OR NOT ({legal})" if legal else "x IS NULL"
    return f"NOT exists({quoted(column.name)}, x -> {illegal})" if illegal else ""


def or_null(column: Column, condition: str) -> str:
    """Let the column have no value, where it may, or else one that meets the condition."""
    return f"{quoted(column.name)} IS NULL OR ({condition})" if column.nullable else condition
