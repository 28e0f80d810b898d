"""Dispatch of decisions in compiled code, by the type of a strategy's state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from algorithms.autoscaling.dispatch import KERNELS, Seen, cacheable, decide
from algorithms.core.arrays import Longs
from algorithms.core.compiled import allocating, allocating_unkept


@overload(decide)
def _compiled(state: Any, seen: Any, after: Any) -> Callable[..., tuple[int, int]]:
    kernel = KERNELS[state.instance_class]

    def call(state: Any, seen: Any, after: Any) -> tuple[int, int]:
        return kernel(state, seen, after)

    return call


def _decide(state: Any, seen: Seen, after: Longs) -> tuple[int, int]:
    return decide(state, seen, after)


_ours = allocating(_decide)
_others = allocating_unkept(_decide)


def decide_once(state: Any, seen: Seen, after: Longs) -> tuple[int, int]:
    """Make one decision from Python, compiled; see `algorithms.autoscaling.dispatch.decide`."""
    return (_ours if cacheable(state) else _others)(state, seen, after)
