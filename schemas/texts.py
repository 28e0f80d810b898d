"""What all names and meanings in contracts have in common."""

import re

from schemas.contract_errors import ContractError

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def problems(name: str, meaning: str) -> list[str]:
    """List what is wrong with a name and its explanation, nothing where both are fine.

    Examples
    --------
    >>> problems("p90", "The 90th percentile.")
    []
    >>> problems("P90", "The 90th percentile.")
    ['name must be lower case with underscores']
    """
    found = []
    if not _NAME.fullmatch(name):
        found.append("name must be lower case with underscores")
    if not meaning.endswith("."):
        found.append("meaning must be given, in sentences")
    return found


def require(kind: str, name: str, meaning: str) -> None:
    """Refuse a name that is no identifier, or a meaning that is not there.

    Raises
    ------
    ContractError
        Naming the definition and what is wrong with it.
    """
    found = problems(name, meaning)
    if found:
        raise ContractError(f"{kind} {name!r}: {'; '.join(found)}")
