"""How a compiled program calls a strategy: what it passes, and which kernel decides.

A strategy starts with a state, a named tuple. The type of the state decides which kernel makes its
decisions, at compile time, so that one compiled loop serves every strategy.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from algorithms.core.arrays import Bools, Floats, Longs

NO_ANSWER = -1
"""Number of replicas of a decision that leaves the group as it is."""

COUNT, RANKS, IDS = 0, 1, 2
"""Kinds of a decision: a count only; bins of members by rank; consumer ids."""


SEEING, MISSING, STALE, ZERO, PARTITION = range(5)
"""What is read of a group: what holds; nothing; what was read last; zeros; all but the last
partition."""


class Seen(NamedTuple):
    """What a strategy observes at a decision, over P partitions; all arrays are contiguous."""

    time: float
    """Time of the decision, seconds since the start."""
    step: int
    """Step of the workload in which the decision is made."""
    lags: Floats
    """float64[P]: events that wait, rounded to 6 decimals."""
    rates: Floats
    """float64[P]: mean rates since the decision before, events/s, rounded to 6 decimals."""
    owners: Longs
    """int64[P]: consumer id of each partition, -1 for none."""
    replicas: int
    """Number of replicas asked for last."""
    consumed: Bools
    """bool[P]: which partitions were consumed since the decision before."""
    counts: Floats
    """float64[W]: events of the whole group in each of the W steps since the decision before."""
    blind: int
    """What is read, `SEEING` unless the group is blind. Other strategies than those that know it
    see what is read, and are not asked while that is `MISSING`."""
    arrived: Floats
    """float64[P]: events that had arrived in each partition as the step began, where the group is
    blind or `follows_arrivals` holds, else anything; float64[0] if that is not known. A strategy
    that does not know its blindness sees what was read last while that is `STALE` or `ZERO`."""


Kernel = TypeVar("Kernel", bound=Callable[[Any, Seen, Longs], tuple[int, int]])

KERNELS: dict[type, Callable[[Any, Seen, Longs], tuple[int, int]]] = {}
"""Kernel of each type of state."""

KNOW_BLINDNESS: set[type] = set()
"""Types of states whose kernels are asked with true rates and counts while their group is blind,
and decide themselves what they read of them. Lags are those that are read."""


def decides(state: type, *, knows_blindness: bool = False) -> Callable[[Kernel], Kernel]:
    """Register the kernel that decides for a type of state.

    knows_blindness: Whether it is one of `KNOW_BLINDNESS`.

    The kernel is called with the state, a `Seen` and ``after``, ``int64[P]``. It returns a number
    of replicas, `NO_ANSWER` for none, and a kind: `COUNT`; `RANKS` if it has filled ``after`` with
    the rank of each partition's member in ascending id, among the members after the action; or
    `IDS` if it has filled it with consumer ids, of which unknown ones stand for new consumers.

    A state has a field ``partitions``, the number of partitions P.
    """

    def register(kernel: Kernel) -> Kernel:
        KERNELS[state] = kernel
        if knows_blindness:
            KNOW_BLINDNESS.add(state)
        return kernel

    return register


def decide(state: Any, seen: Seen, after: Longs) -> tuple[int, int]:
    """Make one decision; can be called from compiled code.

    after: int64[P], filled as the kind of the decision says; see `decides`.
    Returns: number of replicas, `NO_ANSWER` for none; and `COUNT`, `RANKS` or `IDS`.
    """
    return KERNELS[type(state)](state, seen, after)


def check_of(module: str) -> Callable[..., Any]:
    """What raises for wrong arguments of a strategy's module: ``check``, else ``start``."""
    loaded = import_module(module)
    return getattr(loaded, "check", loaded.start)  # type: ignore[no-any-return]


def follows_arrivals(state: Any) -> bool:
    """Whether a state has `Arrivals` in it, for which `Seen.arrived` has to be counted."""
    # The list of strategies is read without kernels, which this module has.
    from algorithms.autoscaling.time_lags import Arrivals

    return isinstance(state, Arrivals) or any(map(follows_arrivals, _parts(state)))


def cacheable(state: Any) -> bool:
    """Whether code that is compiled for a state may be cached on disk.

    Other processes can read the code only if they can import the types of the state, which holds
    for those of this package.
    """
    return type(state).__module__.startswith("algorithms.") and all(map(cacheable, _parts(state)))


def _parts(state: Any) -> list[Any]:
    """Named tuples in a state."""
    return [part for part in state if isinstance(part, tuple) and hasattr(part, "_fields")]
