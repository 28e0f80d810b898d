"""Dispatch of decisions in compiled code, by the type of a strategy's state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.autoscaling.dispatch import KERNELS, Seen, decide
from algorithms.core.arrays import Longs
from algorithms.core.compiled import is_kept, overload


@overload(decide, inline="always")
def _compiled(state: Any, seen: Any, after: Any) -> Callable[..., tuple[int, int]]:
    kernel = KERNELS[state.instance_class]

    def call(state: Any, seen: Any, after: Any) -> tuple[int, int]:
        return kernel(state, seen, after)

    return call


def decide_once(state: Any, seen: Seen, after: Longs) -> tuple[int, int]:
    """Make one decision from Python; see `algorithms.autoscaling.dispatch.decide`.

    Nothing is compiled that simulations do not compile: kernels whose code is not cached are
    interpreted. They are short, and call others that are.
    """
    own: Any = KERNELS[type(state)]
    decision: tuple[int, int] = (own if is_kept(own) else own.py_func)(state, seen, after)
    return decision
