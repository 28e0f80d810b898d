"""Rules for names and meanings in contracts."""

import re

from schemas.contract_errors import ContractError

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def problems(name: str, meaning: str) -> list[str]:
    """List the problems of a name and its explanation; empty if both are valid.

    >>> problems("p90", "The 90th percentile.")
    []
    >>> problems("P90", "The 90th percentile.")
    ['name must be lower case with underscores']
    """
    reasons = []
    if not _NAME.fullmatch(name):
        reasons.append("name must be lower case with underscores")
    if not meaning.endswith("."):
        reasons.append("meaning must be one or more sentences")
    return reasons


def require(kind: str, name: str, meaning: str) -> None:
    """Raise `ContractError`, with what is wrong, if a name is no identifier or has no meaning."""
    reasons = problems(name, meaning)
    if reasons:
        raise ContractError(f"{kind} {name!r}: {'; '.join(reasons)}")
