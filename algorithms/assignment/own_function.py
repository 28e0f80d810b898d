"""A user's own function as an algorithm, named ``package.module:function``.

The function decides on one iteration. It gets those of `ARGUMENTS` that it names, and returns the
consumer of each partition. Every answer is checked, because no test of this package has seen it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module, reload
from types import ModuleType
from typing import Any

import numpy as np

from algorithms.assignment import stepping
from algorithms.core.arrays import TOLERANCE, Floats, Ints
from algorithms.core.input_errors import OwnFunctionError

ARGUMENTS = ("rates", "before", "capacity", "seed", "iteration")
"""What a function can take: ``float64[P]`` in bytes/s, NaN = absent; ``int32[P]``, the consumers of
the iteration before, -1 = none; bytes/s; the stream's seed; the number of the iteration, from 1."""

SIGNATURE = "assign(rates, before, capacity)"

_Function = Callable[..., object]
_NAN = float("nan")
_TRIAL_CAPACITY, _TRIAL_SEED = 10.0, 7
_TRIAL = np.array(
    [
        [6.0, 4.0, _NAN, 12.0, 3.0],
        [5.0, 5.0, 5.0, _NAN, 0.0],
        [_NAN] * 5,
        [0.0, 1.0, 2.0, 9.5, 9.5],
    ]
)
"""A stream that has arrivals, departures, ties, idle partitions, one faster than the capacity, and
an iteration without partitions."""

_SOURCES: dict[str, str | None] = {}
"""Source of each module when it was imported: a process may outlive an edit."""


@dataclass(slots=True)
class Own:
    """State of an own function."""

    name: str
    function: _Function
    arguments: tuple[str, ...]
    """Names of the arguments that the function takes."""
    capacity: float
    seed: int
    before: Ints
    """int32[P]: consumer of each partition after the last step, -1 = none."""
    iteration: int = 0
    """Number of the last step, from 1."""


def start(partitions: int, capacity: float, seed: int, *, function: str) -> Own:
    """Start an own function.

    function: Its name, ``package.module:function``.
    Raises OwnFunctionError if it cannot be imported or called; a step raises it if the function
        raises, or if its answer breaks the contract. Ties are the function's own: break them by the
        lower id.
    """
    called = _imported(function)
    before = np.full(partitions, -1, dtype=np.int32)
    return Own(function, called, _arguments(function, called), capacity, seed, before)


@stepping.makes_steps(Own)
def _step(state: Own, rates: Floats, after: Ints) -> None:
    state.iteration += 1
    # Copies: what the function writes to them must not change the stream.
    offered: dict[str, Any] = {
        "rates": rates.copy(),
        "before": state.before.copy(),
        "capacity": state.capacity,
        "seed": state.seed,
        "iteration": state.iteration,
    }
    where = f"{state.name}: iteration {state.iteration}"
    try:
        answer = state.function(**{name: offered[name] for name in state.arguments})
    except Exception as error:
        raise OwnFunctionError(f"{where}: {_said(error)}; correct the function") from error
    after[:] = _checked(where, answer, rates, state.capacity)


def check(name: str) -> None:
    """Import an own function and try it twice on a small stream.

    Raises OwnFunctionError if it cannot be imported or called, breaks the contract, or returns
        something else the second time. The message names it, the cause and a remedy.
    """
    try:
        first, second = (_tried(name) for _ in range(2))
    except _TrialError as error:
        raise OwnFunctionError(f"{error} (trial with capacity {_TRIAL_CAPACITY:g})") from error
    if not np.array_equal(first, second):
        raise OwnFunctionError(
            f"{name}: two calls with equal arguments must return equal consumers; draw random "
            "numbers from numpy.random.default_rng([seed, iteration])"
        )


class _TrialError(OwnFunctionError):
    """The function broke its contract in the trial."""


def _tried(name: str) -> Ints:
    state = start(_TRIAL.shape[1], _TRIAL_CAPACITY, _TRIAL_SEED, function=name)
    consumers = np.empty(_TRIAL.shape, dtype=np.int32)
    try:
        stepping.fold(state, _TRIAL, consumers)
    except OwnFunctionError as error:
        raise _TrialError(str(error)) from error
    return consumers


def source(name: str) -> str | None:
    """Source of a function's module, None without. Raises OwnFunctionError unless importable."""
    return _source(_module(name))


def _source(module: ModuleType) -> str | None:
    loader = getattr(module.__spec__, "loader", None)
    try:
        return str(loader.get_source(module.__name__)) if loader is not None else None
    except (AttributeError, ImportError, OSError):
        return None


def _imported(name: str) -> _Function:
    module = _module(name)
    attribute = name.partition(":")[2]
    function = getattr(module, attribute, None)
    if not callable(function):
        names = [key for key, value in vars(module).items() if inspect.isroutine(value)]
        names = [key for key in names if getattr(module, key).__module__ == module.__name__]
        near = get_close_matches(attribute, names, 1) or names[:1]
        remedy = f"choose {module.__name__}:{near[0]}" if near else f"define {SIGNATURE} there"
        what = "has no" if function is None else "has no function"
        raise OwnFunctionError(f"{name}: module {module.__name__} {what} {attribute}; {remedy}")
    called: _Function = function
    return called


def _module(name: str) -> ModuleType:
    """The module, imported again if its source has changed since."""
    place = name.partition(":")[0]
    try:
        module = import_module(place)
        now = _source(module)
        if _SOURCES.setdefault(place, now) != now:
            module = reload(module)
            _SOURCES[place] = now
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if f"{place}.".startswith(f"{missing}."):
            raise OwnFunctionError(
                f"{name}: no module {missing} on the import path; name its folder, such as "
                "--import-path . for the current one"
            ) from error
        raise OwnFunctionError(f"{name}: {place} imports {missing}, which is missing") from error
    except (Exception, SystemExit) as error:
        raise OwnFunctionError(f"{name}: cannot import {place}: {_said(error)}") from error
    return module


def _arguments(name: str, function: _Function) -> tuple[str, ...]:
    """Names of the arguments that a function takes, of those that are offered."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = {}.values()  # compiled elsewhere, it does not say
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    required = {
        p.name
        for p in parameters
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    }
    if "rates" not in by_name or not required <= by_name.intersection(ARGUMENTS):
        got = ", ".join(str(p) for p in parameters) or "none"
        raise OwnFunctionError(
            f"{name}: parameters must be rates and any of {', '.join(ARGUMENTS[1:])}, such as "
            f"{SIGNATURE} (got {got})"
        )
    return tuple(argument for argument in ARGUMENTS if argument in by_name)


def _checked(where: str, answer: object, rates: Floats, capacity: float) -> Ints:
    """The answer as int32[P].

    Raises OwnFunctionError if it has another type or shape, an id is out of bounds, a present
        partition has no consumer or an absent one has, or a consumer of several partitions exceeds
        the capacity.
    """
    partitions = rates.size
    ids = np.asarray(answer)
    if ids.shape != (partitions,) or ids.dtype.kind not in "iu":
        raise OwnFunctionError(
            f"{where}: must return {partitions} integers, a consumer id for each partition "
            f"(got {_kind(answer)}); return an array of dtype int32"
        )
    absent = np.isnan(rates)
    wrong = np.where(absent, ids != -1, (ids < 0) | (ids >= partitions))
    if wrong.any():
        j = int(np.argmax(wrong))
        raise OwnFunctionError(
            f"{where}: the consumer of partition {j} must be "
            + ("-1, as it is absent" if absent[j] else f"between 0 and {partitions - 1}")
            + f" (got {ids[j]})"
        )
    ids = ids.astype(np.int32)
    _check_loads(where, ids[~absent], rates[~absent], capacity)
    return ids


def _check_loads(where: str, ids: Ints, rates: Floats, capacity: float) -> None:
    loads, held = np.bincount(ids, weights=rates), np.bincount(ids)
    over = (loads > capacity * (1.0 + TOLERANCE)) & (held > 1)
    if over.any():
        consumer = int(np.argmax(over))
        raise OwnFunctionError(
            f"{where}: consumer {consumer} must have at most {capacity:g} bytes/s, or one "
            f"partition (got {loads[consumer]:g} bytes/s of {held[consumer]} partitions)"
        )


def _kind(answer: object) -> str:
    if isinstance(answer, np.ndarray):
        return f"{answer.dtype}[{', '.join(map(str, answer.shape))}]"
    sized = f" of length {len(answer)}" if isinstance(answer, list | tuple) else ""
    return f"{type(answer).__name__}{sized}"


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".rstrip(": ")
