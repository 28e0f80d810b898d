"""Errors raised for invalid arguments."""

from __future__ import annotations


class AlgorithmError(ValueError):
    """An argument for which no result can be computed; the base of all errors here."""


class UnknownAlgorithmError(AlgorithmError):
    """A name under which no algorithm is registered; the message lists the known ones."""


class OwnFunctionError(AlgorithmError):
    """A user's own function cannot be imported or called, or its answer breaks the contract."""


class InvalidParameterError(AlgorithmError):
    """An argument out of bounds; the message names it, its value, the limit and a remedy."""
