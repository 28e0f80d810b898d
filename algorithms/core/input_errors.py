"""Errors raised for invalid arguments."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class AlgorithmError(ValueError):
    """An argument for which no result can be computed; the base of all errors here."""


class UnknownAlgorithmError(AlgorithmError):
    """A name under which no algorithm is registered; the message lists the known ones."""


class OwnFunctionError(AlgorithmError):
    """A user's own function cannot be imported or called, or its answer breaks the contract."""


class InvalidParameterError(AlgorithmError):
    """An argument out of bounds; the message names it, its value, the limit and a remedy."""


def near(name: str, known: Iterable[str]) -> str:
    """Guess which of the known patterns a mistyped name means, for a message; else empty.

    >>> near("least_loaded_41", ["headroom", "least_loaded_1", "kd_n (Kafka's static assignment)"])
    ' (did you mean least_loaded_1?)'
    >>> near("foo", ["headroom"])
    ''
    """
    matches = get_close_matches(name, [pattern.split(" ")[0] for pattern in known], 1)
    return f" (did you mean {matches[0]}?)" if matches else ""
