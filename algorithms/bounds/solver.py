"""HiGHS as included in SciPy: one thread, a fixed seed, counted limits.

A call that fails in any way, or that the budget does not allow, has no outcome: callers continue
without one.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from algorithms.bounds.effort import Budget
from algorithms.core.arrays import Floats

_OPTIONS: Mapping[str, object] = {
    "threads": 1,
    "random_seed": 0,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 1e-7,
}
_OPTIMAL, _LIMIT, _INFEASIBLE = 0, 1, 2

_LINEAR, _PIVOT = 1.2, 10.0
"""Work per entry of the matrix: of a linear program, times its longer side; of one pivot."""

_ROOT, _EQUAL, _NODE = 250.0, 1_000.0, 40.0
"""The same, times the shorter side: of an integer program's root, which is harder where all costs
are equal; of each further node."""

_PIVOTS = 2**31 - 1


class Program(NamedTuple):
    """Minimise ``costs x`` with ``low <= matrix x <= high`` and ``0 <= x <= most``."""

    costs: Floats
    matrix: csc_array
    low: Floats
    high: Floats
    most: float

    @property
    def entries(self) -> int:
        """Non-zero numbers in the matrix."""
        return int(self.matrix.nnz)

    @property
    def size(self) -> float:
        """Entries times the shorter side: pivots over a basis of the matrix."""
        return float(self.entries * min(*self.matrix.shape))


class SolverResult(NamedTuple):
    """Result of a call of the solver."""

    values: Floats | None
    """float64[n]: a solution, the best one if `complete`; None if there is none."""
    least: float
    """No solution costs less; infinity if there is none at all, -infinity if nothing is known."""
    complete: bool
    """Whether the solver finished within its limits."""


NOTHING = SolverResult(None, -math.inf, False)
"""Outcome of a call that failed."""


def solve(program: Program, budget: Budget, whole: bool, reserve: float = 0.0) -> SolverResult:
    """Solve a linear program, or an integer program if ``whole``.

    budget: Charged for the work; its effort limits the nodes.
    reserve: Share of the budget that must remain.
    Returns: `NOTHING` if the budget is too small, or the solver is missing, fails, or returns no
        usable result.
    """
    if not budget.takes(cost(program, whole), reserve):
        return NOTHING
    limits = {**_OPTIONS, "time_limit": budget.effort.guard, **_counted(program, budget, whole)}
    for options in (limits, {key: limits[key] for key in limits if key != "threads"}):
        # HiGHS rejects a number of threads that differs from an earlier call in the process.
        solved = _call(program, options, whole)
        if solved is not None:
            nodes = max(0, solved.nodes - 1)
            budget.left -= _NODE * program.size * nodes
            return solved.outcome
    return NOTHING


def cost(program: Program, whole: bool) -> float:
    """Work of a program; of an integer program, without the nodes of its search."""
    if not whole:
        return _LINEAR * program.entries * float(max(*program.matrix.shape))
    equal = bool(np.all(program.costs == program.costs[0]))
    return (_EQUAL if equal else _ROOT) * program.size


def _counted(program: Program, budget: Budget, whole: bool) -> dict[str, object]:
    """The remaining budget as limits in the solver's own counts."""
    left = max(0.0, budget.left)
    if whole:
        further = left / max(1.0, _NODE * program.size)
        return {"node_limit": int(min(budget.effort.nodes, 1.0 + further))}
    pivots = left / (_PIVOT * max(1, program.entries))
    return {"simplex_iteration_limit": int(min(_PIVOTS, program.costs.size + pivots))}


class _Found(NamedTuple):
    outcome: SolverResult
    nodes: int


def _call(program: Program, options: Mapping[str, object], whole: bool) -> _Found | None:
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp

        with warnings.catch_warnings():
            # SciPy warns about options that it passes on without knowing them.
            warnings.simplefilter("ignore")
            answer = milp(
                program.costs,
                integrality=np.full(program.costs.size, int(whole)),
                bounds=Bounds(0.0, program.most),
                constraints=LinearConstraint(program.matrix, program.low, program.high),
                options=dict(options),
            )
    except (ImportError, ValueError, RuntimeError, MemoryError):
        return None
    outcome = _outcome(answer, whole)
    return (
        None if outcome is None else _Found(outcome, getattr(answer, "mip_node_count", None) or 0)
    )


def _outcome(answer: object, whole: bool) -> SolverResult | None:
    """Outcome of an answer; None if the answer is unusable."""
    status, values = getattr(answer, "status", None), getattr(answer, "x", None)
    if status == _INFEASIBLE:
        return SolverResult(None, math.inf, True)
    if status == _LIMIT and values is None:
        return NOTHING
    complete = status == _OPTIMAL
    if values is None or not np.all(np.isfinite(values)):
        return None
    least = getattr(answer, "mip_dual_bound", None) if whole else getattr(answer, "fun", None)
    if least is None or not math.isfinite(least) or not (whole or complete):
        least = -math.inf
    return SolverResult(np.asarray(values, dtype=np.float64), float(least), complete)
