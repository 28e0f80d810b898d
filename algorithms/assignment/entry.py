"""What the registry knows of an algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from algorithms.core.arrays import Floats, Ints

Assign = Callable[[Floats, float, int], Ints]

PAPER = "Landau, Saurabh, Andrade, Barbosa 2024"

ANY_FIT = "any fit"
MODIFIED_ANY_FIT = "modified any fit"
STATIC = "static"
STICKY_REPAIR = "sticky repair"


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One way to assign partitions to consumers.

    Attributes
    ----------
    name : str
        Short name, as in the paper; unique.
    family : str
        Algorithms that differ in a rule only are of one family.
    title : str
        What the name stands for.
    decreasing : bool
        Whether partitions are taken largest first.
    paper : str
        Where it is defined.
    reference : bool
        Whether it is one of the paper's twelve, whose fewest consumers CBS refers to.
    assign : callable
        ``(rates float64[N, P] in bytes/s, NaN = absent; capacity in bytes/s; seed)`` to
        consumers ``int32[N, P]``, ids in ``0 .. P-1``, -1 = absent. Raises `AlgorithmError`
        for arguments out of their bounds.
    """

    name: str
    family: str
    title: str
    decreasing: bool
    paper: str
    reference: bool
    assign: Assign
