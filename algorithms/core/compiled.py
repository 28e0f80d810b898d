"""How kernels are compiled: the one place that knows Numba's options.

Numba counts who refers to each array, with an atomic instruction whenever a name is bound to one.
In kernels of many short steps that took two thirds of the time, and only who makes arrays or hands
them out needs it. So there are three decorators: `kernel` for most functions, `inlined` for those
that are short or called most often, which become part of their callers, and `allocating` for those
that make arrays.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import njit

TRIED = "0.68."
"""Beginning of the versions of Numba on which its private option was tried."""

F = TypeVar("F", bound=Callable[..., object])

_NUMBER = r"(bool|int|float|np\.uint64)"
_NUMBERS = re.compile(rf"None|{_NUMBER}|tuple\[{_NUMBER}(, {_NUMBER})*\]")


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code at its first call.

    The code is kept on disk, so that further processes load it instead of compiling again, and
    it runs without Python's lock. Additions keep their order (no ``fastmath``), which makes
    results the same bits on every machine. A division by zero gives an infinity or NaN, as in
    NumPy: a test before each division would keep loops from being made vector code.

    Parameters
    ----------
    function : callable
        Takes arrays and numbers, or named tuples of them, changes what it is given, returns
        numbers or nothing, and neither checks arguments nor raises: checks are for the public
        function which calls it. It makes no arrays, calls nothing that is `allocating`, and no
        function or method of NumPy on arrays: what they make would never be freed.

    Returns
    -------
    callable
        The compiled function, with the signature of the given one.

    Raises
    ------
    TypeError
        If the function is not declared to return numbers, or nothing. As it counts no
        references, an array that it returned might be freed while it is in use.
    """
    return _compile(_without_arrays(function), counted=False, inline=False)


def inlined(function: F) -> F:
    """Compile a short `kernel` into each of its callers: no call, no arguments to be passed."""
    return _compile(_without_arrays(function), counted=False, inline=True)


def allocating(function: F) -> F:
    """Compile a function as `kernel` does, which may make and return arrays."""
    return _compile(function, counted=True, inline=False)


def allocating_unkept(function: F) -> F:
    """Compile a function as `allocating` does, and keep its code in this process alone.

    Code on disk is found by the types of its arguments. A type of a module that another process
    cannot import would make all code of the function unreadable there.
    """
    return _compile(function, counted=True, inline=False, kept=False)


def _without_arrays(function: F) -> F:
    annotation = function.__annotations__.get("return", "no annotated type")
    returned = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    if not _NUMBERS.fullmatch(returned):
        raise TypeError(
            f"{function.__qualname__} returns {returned}: only `allocating` functions may"
        )
    return function


def _compile(function: F, *, counted: bool, inline: bool, kept: bool = True) -> F:
    # A function that does not say whether references are counted is compiled like its caller.
    # Options are no part of the name under which code is kept: a function has one decorator only.
    options = {"forceinline": inline} | counting(numba.__version__, counted)
    return cast(F, njit(cache=kept, nogil=True, error_model="numpy", **options)(function))


def counting(version: str, counted: bool) -> dict[str, Any]:
    """Numba's option for reference counting, which is private: none on a version not tried."""
    return {"_nrt": counted} if version.startswith(TRIED) else {}
