"""Exact answers by other means than the bounds themselves: all partitions, and OR-tools' CP-SAT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from ortools.sat.python import cp_model

TOLERANCE = 1e-9


def brute_force_consumers(speeds: Sequence[float], capacity: float) -> int:
    """Fewest consumers, by trying every way to group the partitions."""
    return min((len(groups) for groups in _groupings(list(speeds), capacity)), default=0)


def brute_force_rscore(
    speeds: Sequence[float], capacity: float, before: Sequence[int | None], consumers: int
) -> float | None:
    """Least Rscore with at most so many consumers, None without any, by trying every assignment."""
    ids = range(len(speeds))
    best = None
    for after in product(ids, repeat=len(speeds)):
        if len(set(after)) > consumers or not _valid(speeds, capacity, after):
            continue
        moved = sum(
            speed
            for speed, old, new in zip(speeds, before, after, strict=True)
            if old is not None and old != new
        )
        best = moved / capacity if best is None else min(best, moved / capacity)
    return best


def _valid(speeds: Sequence[float], capacity: float, after: Sequence[int]) -> bool:
    groups = ([s for s, c in zip(speeds, after, strict=True) if c == i] for i in set(after))
    return all(len(g) == 1 or sum(g) <= capacity * (1 + TOLERANCE) for g in groups)


def _groupings(speeds: list[float], capacity: float) -> Iterator[list[list[float]]]:
    """Every way to group partitions such that each group is valid."""
    if not speeds:
        yield []
        return
    for groups in _groupings(speeds[1:], capacity):
        yield [[speeds[0]], *groups]
        for i, group in enumerate(groups):
            joined = [speeds[0], *group]
            if sum(joined) <= capacity * (1 + TOLERANCE):
                yield [*groups[:i], joined, *groups[i + 1 :]]


def cp_sat_consumers(sizes: Sequence[int], capacity: int, most: int) -> int | None:
    """Fewest consumers for whole sizes of at most the capacity; None if ``most`` are too few."""
    model = cp_model.CpModel()
    used = [model.new_bool_var(f"used {c}") for c in range(most)]
    put = {(j, c): model.new_bool_var("") for j in range(len(sizes)) for c in range(most)}
    for j in range(len(sizes)):
        model.add_exactly_one(put[j, c] for c in range(most))
    for c in range(most):
        model.add(sum(sizes[j] * put[j, c] for j in range(len(sizes))) <= capacity * used[c])
    for first, second in pairwise(used):
        model.add(first >= second)
    # Those above half of the capacity are in different consumers, and these are all alike.
    large = [j for j in range(len(sizes)) if 2 * sizes[j] > capacity]
    if len(large) > most:
        return None
    for c, j in enumerate(large):
        model.add(put[j, c] == 1)
    model.minimize(sum(used))
    return _solved(model)


def cp_sat_moved(
    sizes: Sequence[int], capacity: int, before: Sequence[int], consumers: int
) -> int | None:
    """Least size that moves, with at most so many consumers; -1 in ``before`` is an arrival."""
    model = cp_model.CpModel()
    old = sorted({c for c in before if c >= 0})
    homes = [*old, *(max([*old, 0]) + 1 + i for i in range(consumers))]
    used = {c: model.new_bool_var("") for c in homes}
    put = {(j, c): model.new_bool_var("") for j in range(len(sizes)) for c in homes}
    for j in range(len(sizes)):
        model.add_exactly_one(put[j, c] for c in homes)
    for c in homes:
        model.add(sum(sizes[j] * put[j, c] for j in range(len(sizes))) <= capacity * used[c])
    model.add(sum(used.values()) <= consumers)
    model.minimize(
        sum(sizes[j] * (1 - put[j, before[j]]) for j in range(len(sizes)) if before[j] >= 0)
    )
    return _solved(model)


def _solved(model: cp_model.CpModel) -> int | None:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = 20.0
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL, "the second solver has not finished"
    return round(solver.objective_value)
