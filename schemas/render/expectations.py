"""Contracts as Great Expectations suites."""

import math
from collections.abc import Iterator, Mapping
from sys import float_info
from typing import Any

from schemas.column import Column
from schemas.render import conditions
from schemas.render.words import limits
from schemas.rule import Check, Rule
from schemas.table import Table

Expectation = dict[str, Any]


def expectations(table: Table, views: Mapping[str, str] | None = None) -> list[Expectation]:
    """Render the expectations of a table, or of the frame that audits it.

    Each is ``{"type": ..., "kwargs": ..., "meta": {"rule": ..., "meaning": ...}}``, as a suite
    of Great Expectations 1.x takes it. The names of rules are unique within a table and its
    audit frame together, and equal those of `constraints` where both say the same.

    The suite is for a frame that has the table's columns and those of `verdicts`, one per
    check of single rows. Great Expectations counts in one Spark job what is wrong in any
    number of columns, while each query of its own costs two jobs.

    A table with an audit frame is large. Its arrays are not read again here, and its key is
    not compared row by row: ``expectations(table.audit, views)`` covers both, and Delta has
    enforced the checks of single rows when they were written.

    views: For each other table that a rule reads, the view that holds the same run's rows; views
        named like the tables where None. ``{batch}`` stays in the SQL for Great Expectations.
    Raises ContractError if ``views`` lacks a table that a rule reads.
    """
    rendered = [_columns(table)]
    for column in table.columns:
        rendered += _of_column(column, table)
    rendered += [_of_check(check) for check in _row_checks(table)]
    if table.audit is None:
        rendered.append(_key(table))
    return rendered + [_of_rule(rule, views) for rule in table.rules]


def verdicts(table: Table) -> list[str]:
    """Render the checks of single rows as expressions to select, each named like its check.

    ``frame.selectExpr("*", *verdicts(table))`` is what the suite of `expectations` is for. An
    expression is true for a legal row and false for any other, never null.
    """
    return [
        f"coalesce({check.sql}, FALSE) AS {conditions.quoted(check.name)}"
        for check in _row_checks(table)
    ]


def _row_checks(table: Table) -> list[Check]:
    """List the checks that are made again when a run is complete, those of elements first."""
    if table.audit is not None:
        return []
    elements = [check for column in table.columns for check in _elements(column)]
    return [*elements, *table.checks]


def _expectation(kind: str, rule: str, meaning: str, **kwargs: Any) -> Expectation:
    return {"type": kind, "kwargs": kwargs, "meta": {"rule": rule, "meaning": meaning}}


def _prefix(table: Table) -> str:
    """Prefix that distinguishes rules of an audit frame from those of its table."""
    return "audit_" if table.transient else ""


def _columns(table: Table) -> Expectation:
    # A frame made only to be checked may carry more than the checks need.
    return _expectation(
        "expect_table_columns_to_match_set",
        f"{_prefix(table)}columns",
        "The columns are exactly those of the contract, plus one result column per row check.",
        column_set=[column.name for column in table.columns]
        + [check.name for check in _row_checks(table)],
        exact_match=not table.transient,
    )


def _key(table: Table) -> Expectation:
    rule, meaning = (
        f"{_prefix(table)}key_unique",
        f"No two rows have the same {', '.join(table.key)}.",
    )
    if len(table.key) == 1:
        kind = "expect_column_values_to_be_unique"
        return _expectation(kind, rule, meaning, column=table.key[0])
    kind = "expect_compound_columns_to_be_unique"
    return _expectation(kind, rule, meaning, column_list=list(table.key))


def _of_column(column: Column, table: Table) -> Iterator[Expectation]:
    if column.is_array and table.audit is not None:
        return
    if not column.nullable:
        yield _expectation(
            "expect_column_values_to_not_be_null",
            f"{_prefix(table)}{column.name}_not_null",
            f"Every row has {column.name}.",
            column=column.name,
        )
    if not column.is_array and conditions.within_bounds(column, column.name):
        yield _bounds(column, column.name if table.transient else f"{column.name}_bounds")
    if column.allowed:
        yield _expectation(
            "expect_column_values_to_be_in_set",
            f"{column.name}_allowed",
            f"Each {column.name} is one of {limits(column)}.",
            column=column.name,
            value_set=list(column.allowed),
        )


def _elements(column: Column) -> Iterator[Check]:
    legal = conditions.legal_elements(column) if column.is_array else ""
    if legal:
        condition = conditions.or_null(column, legal)
        text = limits(column) or "not null"
        yield Check(f"{column.name}_elements", f"Each element is {text}.", condition)


def _bounds(column: Column, rule: str) -> Expectation:
    """Bound a number; a double always at both ends.

    Spark orders NaN above infinity. An upper bound therefore refuses NaN, even the bound
    infinity, and the largest finite double refuses infinity as well.
    """
    low, high = column.minimum, column.maximum
    if column.exclusive_minimum is not None:
        low = column.exclusive_minimum
    if column.type == "double":
        low = -float_info.max if low is None else low
        top = math.inf if column.infinity_allowed else float_info.max
        high = top if high is None else high
    return _expectation(
        "expect_column_values_to_be_between",
        rule,
        f"{column.meaning} Must be {limits(column)}.",
        column=column.name,
        min_value=low,
        max_value=high,
        strict_min=column.exclusive_minimum is not None,
    )


def _of_check(check: Check) -> Expectation:
    return _expectation(
        "expect_column_values_to_be_in_set",
        check.name,
        check.meaning,
        column=check.name,
        value_set=[True],
    )


def _of_rule(rule: Rule, views: Mapping[str, str] | None) -> Expectation:
    own = {name: name for name in rule.tables}
    return _expectation(
        "unexpected_rows_expectation",
        rule.name,
        rule.meaning,
        unexpected_rows_query=rule.bound(own if views is None else views),
    )
