"""HiGHS, as SciPy brings it: one thread, a fixed seed, limits that are counted.

A call that fails in any way has no outcome: callers do without it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from algorithms.arrays import Floats
from algorithms.bounds.effort import Effort

_OPTIONS: Mapping[str, object] = {
    "threads": 1,
    "random_seed": 0,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 1e-7,
}
_OPTIMAL, _INFEASIBLE = 0, 2


class Program(NamedTuple):
    """Minimise ``costs x`` with ``low <= matrix x <= high`` and ``0 <= x <= most``.

    Attributes
    ----------
    matrix
        SciPy's sparse array, or NumPy's.
    """

    costs: Floats
    matrix: object
    low: Floats
    high: Floats
    most: float


class Outcome(NamedTuple):
    """What the solver has found.

    Attributes
    ----------
    values : float64[n] or None
        A solution, the best one if `complete`; None if there is none.
    least : float
        No solution costs less; infinity if there is none at all, -infinity if nothing is known.
    complete : bool
        Whether the solver was done before its limits.
    """

    values: Floats | None
    least: float
    complete: bool


NOTHING = Outcome(None, -math.inf, False)
"""Outcome of a call that failed."""


def solve(program: Program, effort: Effort, whole: bool) -> Outcome:
    """Solve a linear program, or an integer program if the unknowns are ``whole`` numbers.

    Returns
    -------
    Outcome
        `NOTHING` where the solver is missing, fails, or says nothing that can be used.
    """
    limits = {**_OPTIONS, "time_limit": effort.guard, "node_limit": effort.nodes}
    for options in (limits, {key: limits[key] for key in limits if key != "threads"}):
        # HiGHS refuses a number of threads that is not that of an earlier call in the process.
        found = _call(program, options, whole)
        if found is not None:
            return found
    return NOTHING


def _call(program: Program, options: Mapping[str, object], whole: bool) -> Outcome | None:
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp

        with warnings.catch_warnings():
            # SciPy warns of options that it hands on without knowing them.
            warnings.simplefilter("ignore")
            found = milp(
                program.costs,
                integrality=np.full(program.costs.size, int(whole)),
                bounds=Bounds(0.0, program.most),
                constraints=LinearConstraint(program.matrix, program.low, program.high),
                options=dict(options),
            )
    except (ImportError, ValueError, RuntimeError, MemoryError):
        return None
    status, values = getattr(found, "status", None), getattr(found, "x", None)
    if status == _INFEASIBLE:
        return Outcome(None, math.inf, True)
    complete = status == _OPTIMAL
    if values is None or not np.all(np.isfinite(values)):
        return None
    least = getattr(found, "mip_dual_bound", None) if whole else getattr(found, "fun", None)
    if least is None or not math.isfinite(least) or not (whole or complete):
        least = -math.inf
    return Outcome(np.asarray(values, dtype=np.float64), float(least), complete)
