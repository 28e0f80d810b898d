"""Interface of an algorithm: `start` creates its state, `step` decides on one observation.

Kernels and Numba are imported when an algorithm first starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import (
    MAX_PARTITIONS,
    Bools,
    Floats,
    Ints,
    check_capacity,
    check_count,
    check_rates,
    check_seed,
)
from algorithms.core.input_errors import InvalidParameterError

PAPER = "Landau, Saurabh, Andrade, Barbosa 2024"
""""Multi-Objective Optimization of Consumer Group Autoscaling in Message Broker Systems"."""

ANY_FIT = "any fit"
MODIFIED_ANY_FIT = "modified any fit"
STATIC = "static"
STICKY_REPAIR = "sticky repair"
OWN = "your own"

Setting = bool | int | float | str | tuple[tuple[int, ...], ...]


class Observation(NamedTuple):
    """State of P partitions and of the consumer group that reads them, at one moment."""

    rates: Floats | None = None
    """float64[P]: write speeds in bytes/s, NaN = absent."""
    lags: Floats | None = None
    """float64[P]: bytes that are written but not read yet."""
    present: Bools | None = None
    """bool[P]: which partitions exist; None means those that have a rate."""
    owners: Ints | None = None
    """int32[P]: current consumer of each partition, -1 = none; None means those of the last
    decision."""
    replicas: int | None = None
    """Consumers that are running."""
    time: float | None = None
    """Seconds since the start."""
    consumed: Bools | None = None
    """bool[P]: which partitions were consumed since the decision before."""
    counts: Floats | None = None
    """float64[W]: events of the whole group in each of the W steps since the decision before."""
    arrived: Floats | None = None
    """float64[P]: events of each partition since the start; None if decisions are never left out:
    the rates are those of all the time."""


class Decision(NamedTuple):
    """Decision of an algorithm; None leaves a value unchanged."""

    owners: Ints | None = None
    """int32[P]: consumer of each partition, ids in ``0 .. P-1``, -1 = absent."""
    replicas: int | None = None
    """Consumers that should run."""
    ranks: Ints | None = None
    """int32[P]: instead of ids, the rank of each partition's consumer in ascending id among the
    consumers that run after the decision, ``0 .. replicas-1``."""


@dataclass(frozen=True, slots=True)
class Start:
    """A ``start`` function with its settings; equal if module and settings are."""

    module: str
    """Full name of the module that defines the function."""
    settings: tuple[tuple[str, Setting], ...]
    """Its keyword arguments."""

    def __call__(self, partitions: int, capacity: float, seed: int) -> Any:
        """State of the algorithm before the first step."""
        start = import_module(self.module).start
        return start(partitions, capacity, seed, **dict(self.settings))

    def having(self, **settings: Setting) -> Start:
        """The same function with further settings."""
        return replace(self, settings=tuple({**dict(self.settings), **settings}.items()))


def starting(module: str, **settings: Setting) -> Start:
    """Function ``algorithms.assignment.<module>.start`` with keyword arguments."""
    return Start(f"algorithms.assignment.{module}", tuple(settings.items()))


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One way to assign partitions to consumers.

    >>> from algorithms.assignment import Observation, registry
    >>> algorithm = registry.get("BFD")
    >>> state = algorithm.start(partitions=3, capacity=10.0, seed=0)
    >>> algorithm.step(state, Observation(rates=np.array([4.0, 6.0, 5.0]))).owners.tolist()
    [0, 0, 1]
    >>> algorithm.step(state, Observation(rates=np.array([4.0, 2.0, 9.0]))).owners.tolist()
    [0, 0, 1]
    """

    name: str
    """Short name, as in the paper; unique."""
    family: str
    """Algorithms that differ only in a rule belong to one family."""
    title: str
    """What the name stands for."""
    decreasing: bool
    """Whether partitions are taken largest first."""
    paper: str
    """Where it is defined."""
    reference: bool
    """Whether it is one of the paper's twelve; CBS is relative to their fewest consumers."""
    begin: Start
    """Returns the state before the first step. The module of a state's type registers the kernel
    that makes a step; see `algorithms.assignment.stepping`."""
    keeps_capacity: bool = True
    """Whether no consumer exceeds the packing capacity, except one with a single partition that is
    faster than it."""
    takes_passes: bool = False
    """Whether `begin` takes the settings ``matched`` and ``polished``, so that the passes ``+M``
    and ``+P`` can follow the name."""
    by_topic: bool = False
    """Whether `begin` takes the setting ``topics``; see `on_topics`."""

    def on_topics(self, topics: Sequence[Sequence[int]]) -> Algorithm:
        """The algorithm for partitions of several topics; itself if topics do not matter to it.

        topics: Partitions of each topic: their indexes, 0 to P-1, in Kafka's order. Without this,
            all partitions belong to one topic.
        """
        if not self.by_topic:
            return self
        return replace(self, begin=self.begin.having(topics=tuple(map(tuple, topics))))

    def start(self, partitions: int, capacity: float, seed: int) -> Any:
        """State before the first step.

        capacity: Packing capacity C of a consumer, bytes/s.
        seed: Of the stream, ``0 .. 2**63 - 1``; shuffled orders depend on it.
        """
        count = check_count("partitions", partitions, 1, MAX_PARTITIONS)
        return self.begin(count, check_capacity(capacity), check_seed(seed))

    def step(self, state: Any, observation: Observation) -> Decision:
        """Decide on one observation, and update the state.

        state: State from `start`; changed in place.
        observation: Requires ``rates``. If ``owners`` are given, they replace the last decision.
        Raises InvalidParameterError if the rates are missing, or an array has the wrong type or a
            length other than P.
        """
        from algorithms.assignment import stepping

        before = state.before
        rates = _rates(self.name, observation, before.size)
        if observation.owners is not None:
            before[:] = _owners(observation.owners, before.size)
        after = np.empty_like(before)
        stepping.step(state, rates, after)
        return Decision(owners=after)

    def assign(self, rates: Floats, capacity: float, seed: int) -> Ints:
        """Assign a stream: the steps from the first iteration to the last, compiled.

        rates: float64[N, P], write speeds in bytes/s, NaN = absent.
        capacity: Packing capacity C of a consumer, bytes/s.
        Returns: int32[N, P], consumer ids in ``0 .. P-1``, -1 = absent.
        """
        from algorithms.assignment import stepping

        rates = check_rates(rates)
        consumers = np.empty(rates.shape, dtype=np.int32)
        stepping.fold(self.start(rates.shape[1], capacity, seed), rates, consumers)
        return consumers


def _rates(name: str, observation: Observation, partitions: int) -> Floats:
    rates, present = observation.rates, observation.present
    if rates is None:
        raise InvalidParameterError(
            f"rates is required: {name} assigns by write speeds; pass Observation(rates=...)"
        )
    if np.shape(rates) != (partitions,):
        raise InvalidParameterError(
            f"rates must have shape ({partitions},), one rate per partition "
            f"(got {np.shape(rates)}); start again when the number of partitions changes"
        )
    checked: Floats = check_rates(rates[np.newaxis])[0]
    if present is None:
        return checked
    if np.shape(present) != (partitions,):
        raise InvalidParameterError(
            f"present must have shape ({partitions},), one value per partition "
            f"(got {np.shape(present)})"
        )
    return np.where(present, checked, np.nan)


def _owners(owners: Ints, partitions: int) -> Ints:
    array = np.asarray(owners)
    if array.shape != (partitions,) or array.dtype.kind != "i":
        raise InvalidParameterError(
            f"owners must be int32[{partitions}], one consumer id per partition, -1 for none "
            f"(got {array.dtype}{list(array.shape)})"
        )
    if array.size and not -1 <= array.min() <= array.max() < partitions:
        raise InvalidParameterError(
            f"owners must be between -1 and {partitions - 1} (got {array.min()} to {array.max()})"
        )
    return array
