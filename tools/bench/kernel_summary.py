"""Summarises the kernel benchmark: exponents, and a readable table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class KernelTime(NamedTuple):
    """One measurement."""

    algorithm: str
    """Name in the registry."""
    partitions: int
    """Number of partitions."""
    us_per_assignment: float
    """Microseconds for one iteration, sorting and Rscore included."""


def exponent(points: Iterable[tuple[int, float]]) -> float:
    """Exponent ``b`` of the power law ``time = a size**b``, fitted by least squares of logarithms.

    points: Sizes, at least two different ones, and times.

    >>> round(exponent([(10, 3.0), (100, 300.0), (1000, 30000.0)]), 6)
    2.0
    """
    logs = [(math.log(size), math.log(time)) for size, time in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return covariance / sum((x - mean_x) ** 2 for x, _ in logs)


def exponents(rows: Sequence[KernelTime], smallest: int, largest: int) -> dict[str, float]:
    """Exponent of each algorithm's time against partitions, between two sizes, both included."""
    points: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        if smallest <= row.partitions <= largest:
            points.setdefault(row.algorithm, []).append((row.partitions, row.us_per_assignment))
    return {name: exponent(own) for name, own in points.items()}


def table(rows: Sequence[KernelTime], fitted: Mapping[str, float]) -> str:
    """Lines of text: an algorithm per line, a size per column, the exponent last."""
    sizes = sorted({row.partitions for row in rows})
    cells = {(row.algorithm, row.partitions): f"{row.us_per_assignment:,.1f}" for row in rows}
    lines = [["", *(f"P = {size:,}" for size in sizes), "exponent"]]
    for name, power in fitted.items():
        lines.append([name, *(cells.get((name, size), "") for size in sizes), f"{power:.2f}"])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    )
