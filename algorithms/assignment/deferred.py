"""Assignment functions that are imported when they are first called, kernels and all."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import cast

from algorithms.core.arrays import Floats, Ints

Setting = bool | int | float


@dataclass(frozen=True, slots=True)
class Deferred:
    """An ``assign`` function with some of its arguments, known by its module's name.

    Two of them are equal if they call the same function with the same arguments.

    Attributes
    ----------
    module : str
        Full name of the module that has the function.
    settings : tuple of (str, bool, int or float)
        Its keyword arguments.
    """

    module: str
    settings: tuple[tuple[str, Setting], ...]

    def __call__(self, rates: Floats, capacity: float, seed: int) -> Ints:
        """Assign a stream; see `algorithms.assignment.registry.Algorithm`."""
        function = import_module(self.module).assign
        return cast(Ints, function(rates, capacity, seed, **dict(self.settings)))


def deferred(module: str, **settings: Setting) -> Deferred:
    """Function ``algorithms.assignment.<module>.assign`` with keyword arguments.

    Examples
    --------
    >>> import numpy as np
    >>> assign = deferred("kafka_static", n=2)
    >>> assign(np.array([[1.0, 2.0, 3.0]]), 10.0, 0).tolist()
    [[0, 1, 0]]
    """
    return Deferred(f"algorithms.assignment.{module}", tuple(settings.items()))
