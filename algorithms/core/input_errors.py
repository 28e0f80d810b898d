"""Errors of the science: everything that is refused because of what was passed in."""

from __future__ import annotations


class AlgorithmError(ValueError):
    """An argument that no result can be computed for; the base of all errors here."""


class UnknownAlgorithmError(AlgorithmError):
    """A name that no algorithm is registered under; the message lists the known ones."""


class InvalidParameterError(AlgorithmError):
    """An argument out of its bounds; the message names it, its value, the limit and a remedy."""
