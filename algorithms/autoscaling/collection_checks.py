"""Checks of the mappings, lists and pairs that public functions take."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from algorithms.core.input_errors import InvalidParameterError


def check_mapping(name: str, value: object, values: str) -> Mapping[str, Any]:
    """Return a mapping from names, or raise if it is none.

    values: What it maps names to, for the message.

    >>> check_mapping("settings", {"mu": 200.0}, "values")
    {'mu': 200.0}
    """
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidParameterError(
            f"{name} must be a mapping from names to {values} (got {shortened(value)})"
        )
    return value


def check_list(name: str, value: object, items: str) -> tuple[Any, ...]:
    """Return the items of a list or another iterable, or raise if it is none.

    value: The iterable, but no text and no mapping.
    items: What it has, for the message.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidParameterError(f"{name} must be a list of {items} (got {shortened(value)})")
    try:
        return tuple(value)
    except TypeError:
        # An array without dimensions.
        raise InvalidParameterError(
            f"{name} must be a list of {items} (got {shortened(value)})"
        ) from None


def check_path(value: object) -> tuple[Any, ...]:
    """Return the names on a path, or raise `InvalidParameterError`; letters of a text are names."""
    return tuple(value) if isinstance(value, str) else check_list("paths", value, "lists of names")


def check_edges(edges: object) -> tuple[tuple[str, str], ...]:
    """Return pairs of names (from, to), or raise `InvalidParameterError` if some are none."""
    pairs = [
        check_pair("edges", "(from, to)", edge) for edge in check_list("edges", edges, "pairs")
    ]
    for pair in pairs:
        if not all(isinstance(name, str) for name in pair):
            raise InvalidParameterError(f"edges must be pairs of names (got {shortened(pair)})")
    return tuple(pairs)


def check_pair(name: str, fields: str, value: object) -> tuple[Any, Any]:
    """Return the two items of a sequence, or raise `InvalidParameterError` if it is no pair."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        raise InvalidParameterError(f"{name} must be {fields} (got {shortened(value)})")
    return value[0], value[1]


def shortened(value: object) -> str:
    """A wrong value for a message, on one line."""
    return " ".join(reprlib.repr(value).split())
