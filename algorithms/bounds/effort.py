"""How much work a bound may cost: counted, so that results do not depend on the machine."""

from __future__ import annotations

import math
from typing import NamedTuple

from algorithms.errors import InvalidParameterError

_ROUNDS, _STEPS, _COLUMNS, _NODES = 10.0, 2e6, 1_600, 16.0
_GUARD = 10.0


class Effort(NamedTuple):
    """Limits of the work for one bound.

    Attributes
    ----------
    rounds : int
        Linear programs that are solved.
    steps : int
        Branches of the search for patterns that an integer program needs.
    columns : int
        Patterns that an integer program may have.
    nodes : int
        Nodes of its search tree.
    guard : float
        Wall-clock limit of a single call of the solver, s. It is far above what the others allow
        and there for calls that never end: only where it strikes do results depend on the machine.
    """

    rounds: int
    steps: int
    columns: int
    nodes: int
    guard: float


def effort(seconds: float) -> Effort:
    """Effort that takes about a given time on one core of a machine of 2024.

    Parameters
    ----------
    seconds : float
        Finite and above 0.

    Returns
    -------
    Effort
        At least one of everything.

    Raises
    ------
    InvalidParameterError
        If the time is not finite or not above 0.

    Examples
    --------
    >>> effort(2.0).rounds
    20
    """
    if not (math.isfinite(seconds) and seconds > 0.0):
        raise InvalidParameterError(
            f"seconds is {seconds}: must be finite and above 0; give the time that a bound may take"
        )
    return Effort(
        rounds=max(1, round(_ROUNDS * seconds)),
        steps=max(1, round(_STEPS * seconds)),
        columns=max(1, round(_COLUMNS * seconds)),
        nodes=max(1, round(_NODES * seconds)),
        guard=1.0 + _GUARD * seconds,
    )
