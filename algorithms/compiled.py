"""How kernels are compiled: the one place that knows Numba's options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code at its first call.

    The code is kept on disk, so that further processes load it instead of compiling again, and
    it runs without Python's lock. Additions keep their order (no ``fastmath``), which makes
    results the same bits on every machine. A division by zero gives an infinity or NaN, as in
    NumPy: a test before each division would keep loops from being made vector code.

    Parameters
    ----------
    function : callable
        Takes arrays and numbers only, returns arrays or numbers, and neither checks arguments
        nor raises: that is for the public function which calls it.

    Returns
    -------
    callable
        The compiled function, with the signature of the given one.
    """
    return cast(F, njit(cache=True, nogil=True, error_model="numpy")(function))
