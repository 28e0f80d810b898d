"""Algorithms run over a stream, with the scores of each assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.assignment import registry
from algorithms.core.arrays import Floats, Ints
from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores import assignment_scores


class SweepResult(NamedTuple):
    """One algorithm's assignment of a stream."""

    consumers: Ints
    """int32[N, P]: consumer ids in ``0 .. P-1``, -1 = absent."""
    n_consumers: Ints
    """int32[N]: consumers in use; 0 where no partition is present."""
    n_migrations: Ints
    """int32[N]: migrated partitions."""
    rscore: Floats
    """float64[N]: speed of the migrated partitions in units of the capacity."""


def run(
    name: str,
    rates: Floats,
    capacity: float,
    seed: int,
    topics: Sequence[Sequence[int]] | None = None,
) -> SweepResult:
    """Run one algorithm over a stream.

    name: Name of the algorithm; see `algorithms.assignment.registry.get`.
    rates: float64[N, P], write speeds in bytes/s, NaN = absent.
    capacity: Packing capacity C of a consumer, bytes/s.
    topics: Partitions of each topic, for ``range_n``; see `Algorithm.on_topics`. Default: one
        topic.
    Raises AlgorithmError if the name is unknown or an argument out of bounds.

    >>> result = run("FFD", np.array([[6.0, 5.0, 4.0], [2.0, 9.0, 8.0]]), 10.0, seed=0)
    >>> result.n_consumers.tolist(), result.n_migrations.tolist(), result.rscore.tolist()
    ([2, 2], [0, 0], [0.0, 0.0])
    """
    algorithm = registry.get(name)
    if topics is not None:
        algorithm = algorithm.on_topics(topics)
    consumers = algorithm.assign(rates, capacity, seed)
    return SweepResult(
        consumers=consumers,
        n_consumers=assignment_scores.n_consumers(consumers),
        n_migrations=assignment_scores.n_migrations(consumers),
        rscore=assignment_scores.rscore(rates, consumers, capacity),
    )


def reference_minimum(
    rates: Floats, capacity: float, seed: int, already: Mapping[str, Ints]
) -> Ints:
    """Fewest consumers that any of the paper's twelve algorithms uses, the base of CBS.

    rates: float64[N, P], write speeds in bytes/s, NaN = absent.
    capacity: Packing capacity C of a consumer, bytes/s.
    already: Consumers in use under algorithms that were run on this stream. Those of the twelve
        that are missing are run; other algorithms are ignored.
    Returns: int32[N], the minimum at each iteration; 0 where no partition is present.

    Landau et al. 2024, Eq. 28. The reference set is the same whichever algorithms are given, so
    that CBS does not depend on them.

    >>> rates = np.array([[6.0, 5.0, 4.0, 3.0]])
    >>> reference_minimum(rates, 10.0, 0, {"NF": np.array([3], dtype=np.int32)}).tolist()
    [2]
    """
    fewest = np.full(rates.shape[0], rates.shape[1], dtype=np.int32)
    for name in registry.reference_set():
        counts = already.get(name)
        if counts is None:
            counts = assignment_scores.n_consumers(registry.get(name).assign(rates, capacity, seed))
        if counts.shape != fewest.shape:
            raise InvalidParameterError(
                f"already[{name!r}] must have shape {fewest.shape}, one number per iteration "
                f"(got {counts.shape})"
            )
        np.minimum(fewest, counts, out=fewest)
    return fewest
