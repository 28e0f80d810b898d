"""One step of any algorithm, and the fold of steps over a stream, compiled.

A state is a named tuple with a field ``before``, int32[P]: the consumer that each partition had
after the last step, -1 where it was absent. The type of the state decides which kernel makes a
step, at compile time: one compiled `fold` serves every algorithm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from algorithms.core.arrays import Floats, Ints
from algorithms.core.compiled import allocating, allocating_unkept, overload

Kernel = TypeVar("Kernel", bound=Callable[[Any, Floats, Ints], None])

_KERNELS: dict[type, Callable[[Any, Floats, Ints], None]] = {}


def makes_steps(state: type) -> Callable[[Kernel], Kernel]:
    """Register the kernel, or a plain function, that makes the steps of a type of state.

    It is called with the state, the rates ``float64[P]`` (NaN = absent) and ``after``,
    ``int32[P]``, which it fills with consumer ids in ``0 .. P-1``, -1 = absent.
    """

    def register(kernel: Kernel) -> Kernel:
        _KERNELS[state] = kernel
        return kernel

    return register


def advance(state: Any, rates: Floats, after: Ints) -> None:
    """Fill ``after``, but do not store it in the state; can be called from compiled code."""
    _KERNELS[type(state)](state, rates, after)


@overload(advance)
def _compiled(state: Any, rates: Any, after: Any) -> Callable[..., None]:
    kernel = _KERNELS[state.instance_class]

    def call(state: Any, rates: Any, after: Any) -> None:
        kernel(state, rates, after)

    return call


def _fold(state: Any, rates: Floats, consumers: Ints) -> None:
    for k in range(rates.shape[0]):
        after = consumers[k]
        advance(state, rates[k], after)
        state.before[:] = after


# Cached on disk only for states of this package: every process can import those.
_ours, _others = allocating(_fold), allocating_unkept(_fold)


def step(state: Any, rates: Floats, after: Ints) -> None:
    """Make one step: fill ``after``, and store it in the state."""
    advance(state, rates, after)
    state.before[:] = after


def fold(state: Any, rates: Floats, consumers: Ints) -> None:
    """Make a step per row of ``rates``, float64[N, P]; fills ``consumers``, int32[N, P]."""
    if not hasattr(_KERNELS[type(state)], "py_func"):  # not compiled
        _fold(state, rates, consumers)
        return
    is_ours = type(state).__module__.startswith("algorithms.")
    (_ours if is_ours else _others)(state, rates, consumers)
