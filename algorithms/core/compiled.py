"""How kernels are compiled: the only module that sets Numba's options.

Numba counts the references to each array, with an atomic instruction whenever a name is bound to
one. In kernels of many short steps that took two thirds of the time, and only functions that create
or return arrays need it. So there are three decorators: `kernel` for most functions, `inlined` for
those that become part of their callers, and `allocating` for those that create arrays. A call that
passes a named tuple of ten arrays takes some 40 ns, as each array is seven or more numbers. So
functions of such tuples are `inlined` if they are short, or called often and from few places.

A function that Python may call needs code that unpacks its arguments. For a named tuple of 60
arrays, that takes most of a second to compile, several times as long as the function. So functions
of such tuples that only compiled functions call are `inner` or `inner_inlined`.

A process that makes a decision every few seconds can do without Numba: see `interpret`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

TRIED = "0.68."
"""Prefix of the versions of Numba on which its private options were tested."""

F = TypeVar("F", bound=Callable[..., object])

_MODE: dict[str, bool] = {}
"""``interpreted``, decided once: by `interpret`, else by the first kernel."""

_NUMBER = r"(bool|int|float|np\.uint64)"
_NUMBERS = re.compile(rf"None|{_NUMBER}|tuple\[{_NUMBER}(, {_NUMBER})*\]")


def interpret() -> None:
    """Leave all kernels as they are, and Numba out, which takes 55 MB and 0.3 s to load.

    For a process of few decisions, before it imports kernels. If it has some already, they stay
    compiled, and others will be: compiled kernels cannot call interpreted ones.
    """
    _MODE.setdefault("interpreted", True)


def _are_interpreted() -> bool:
    return _MODE.setdefault("interpreted", False)


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code at its first call.

    The code is cached on disk, so that further processes load it instead of compiling again, and it
    runs without Python's lock. Additions keep their order (no ``fastmath``), so results are
    bit-identical on every machine. A division by zero returns an infinity or NaN, as in NumPy: a
    test before each division would keep loops from being vectorized.

    function: Takes arrays and numbers, or named tuples of them, may change them, and returns
        numbers or nothing. It neither checks arguments nor raises: checks belong to the public
        function that calls it. It creates no arrays, and calls no `allocating` function and no
        function or method of NumPy on arrays: the arrays that these create would never be freed.
    Raises TypeError if the function is not declared to return numbers or nothing. As it counts no
        references, an array that it returned might be freed while in use.
    """
    return _compile(_without_arrays(function), counted=False, inline=False)


def inlined(function: F) -> F:
    """Compile a `kernel` into each of its callers: no call, no arguments to pass."""
    return _compile(_without_arrays(function), counted=False, inline=True)


def inner(function: F) -> F:
    """Compile a `kernel` for compiled callers; if Python calls it, it raises TypeError."""
    return _compile(_without_arrays(function), counted=False, inline=False, called=False)


def inner_inlined(function: F) -> F:
    """Compile an `inlined` function as `inner` does."""
    return _compile(_without_arrays(function), counted=False, inline=True, called=False)


def allocating(function: F) -> F:
    """Compile a function as `kernel` does, but allow it to create and return arrays."""
    return _compile(function, counted=True, inline=False)


def allocating_unkept(function: F) -> F:
    """Compile a function as `allocating` does, but do not cache its code on disk.

    Cached code is looked up by the types of its arguments. A type from a module that another
    process cannot import would make all cached code of the function unreadable there.
    """
    return _compile(function, counted=True, inline=False, kept=False)


def inner_allocating(function: F) -> F:
    """Compile an `allocating` function as `inner` does."""
    return _compile(function, counted=True, inline=False, called=False)


def inner_allocating_unkept(function: F) -> F:
    """Compile an `inner_allocating` function, but do not cache its code on disk."""
    return _compile(function, counted=True, inline=False, kept=False, called=False)


def kernel_unkept(function: F) -> F:
    """Compile a `kernel`, but do not cache its code on disk."""
    return _compile(_without_arrays(function), counted=False, inline=False, kept=False)


def _without_arrays(function: F) -> F:
    annotation = function.__annotations__.get("return", "no annotated type")
    returned = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    if not _NUMBERS.fullmatch(returned):
        raise TypeError(
            f"{function.__qualname__} returns {returned}: only `allocating` functions may"
        )
    return function


def _compile(
    function: F, *, counted: bool, inline: bool, kept: bool = True, called: bool = True
) -> F:
    if _are_interpreted():
        return function
    import numba

    # A function that does not say whether references are counted is compiled like its caller.
    # Options are not part of the key of cached code: a function must have only one decorator.
    options = {"forceinline": inline} | counting(numba.__version__, counted)
    hidden = not called and numba.__version__.startswith(TRIED)
    if hidden:
        options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled = cast(F, numba.njit(cache=kept, nogil=True, error_model="numpy", **options)(function))
    if hidden:
        _refuse_python(compiled)
    if not kept:
        _UNKEPT.append(compiled)
    return compiled


def overload(function: Callable[..., object], **options: Any) -> Callable[[F], F]:
    """Numba's decorator of what stands for a function in compiled code."""
    if _are_interpreted():
        return lambda implementation: implementation
    from numba.extending import overload as overloaded

    return cast(Callable[[F], F], overloaded(function, **options))


def _refuse_python(compiled: Any) -> None:
    """Let a function without code for calls from Python raise instead of jumping nowhere."""

    def refuse(*_: object, **__: object) -> None:
        raise TypeError(f"{compiled.py_func.__qualname__} is `inner`: Python cannot call it")

    def add_overload(result: Any) -> None:
        # Without it, calls from Python are not found, and so end in `refuse`.
        compiled.overloads[tuple(result.signature.args)] = result

    compiled.add_overload = add_overload
    compiled._compile_for_args = refuse


_UNKEPT: list[Callable[..., object]] = []


def is_kept(function: Callable[..., object]) -> bool:
    """Whether the code of a compiled function is cached on disk."""
    return not any(function is other for other in _UNKEPT)


def counting(version: str, counted: bool) -> dict[str, Any]:
    """Numba's private option for reference counting; empty on a version that was not tested."""
    return {"_nrt": counted} if version.startswith(TRIED) else {}
