"""Streams that the tests of the science share, and conversions for the naive reference."""

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from algorithms.assignment import registry
from algorithms.core import shuffle
from tests import naive

Rates = NDArray[np.float64]
Consumers = NDArray[np.int32]

ONLINE = ("NF", "FF", "BF", "WF")
DECREASING = ("NFD", "FFD", "BFD", "WFD")
MODIFIED = ("MWF", "MBF", "MWFP", "MBFP")
# Next fit forgets the bins it has closed, so it is no any-fit algorithm.
ANY_FIT = tuple(name for name in (*ONLINE, *DECREASING, *MODIFIED) if not name.startswith("NF"))

SHAPES = ((1, 1), (12, 1), (1, 12), (20, 2), (25, 9), (12, 33))


def walk(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Rates, float]:
    """Draw a clipped random walk in floats, the kind of stream the paper uses."""
    rates = np.empty(shape)
    rates[0] = rng.uniform(0.0, 100.0, shape[1])
    for k in range(1, shape[0]):
        rates[k] = np.clip(rates[k - 1] + rng.uniform(-20.0, 20.0, shape[1]), 0.0, 100.0)
    return rates, 100.0


def unrelated(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Rates, float]:
    """Draw speeds that have nothing to do with those one iteration earlier."""
    return rng.uniform(0.0, 60.0, shape), 100.0


def ties(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Rates, float]:
    """Draw small integers: many equal speeds, equal loads and exactly full consumers."""
    return rng.integers(0, 6, shape).astype(np.float64), 10.0


def extremes(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Rates, float]:
    """Draw idle partitions, half and exactly full ones."""
    return rng.choice([0.0, 5e6, 1e7], shape), 1e7


def oversized(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Rates, float]:
    """Draw speeds of which every third or so is above the capacity of a consumer."""
    return rng.integers(0, 16, shape).astype(np.float64), 10.0


def decimals(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Rates, float]:
    """Draw multiples of 0.1, whose sums depend on the order of adding (0.1 + 0.2 + 0.7 > 1)."""
    return rng.integers(0, 8, shape) / 10.0, 1.0


def absences(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Rates, float]:
    """Draw a walk in which partitions depart and arrive all the time."""
    rates, capacity = walk(rng, shape)
    rates[rng.random(shape) < 0.3] = np.nan
    return rates, capacity


def sparse(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[Rates, float]:
    """Draw small integers with most partitions absent: whole iterations may be empty."""
    rates, capacity = oversized(rng, shape)
    rates[rng.random(shape) < 0.8] = np.nan
    return rates, capacity


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], tuple[Rates, float]]] = {
    kind.__name__: kind
    for kind in (walk, unrelated, ties, extremes, oversized, decimals, absences, sparse)
}


def draw(kind: str, shape: tuple[int, int], seed: int) -> tuple[Rates, float]:
    """Draw a stream of one of the `KINDS`; the same arguments give the same stream."""
    return KINDS[kind](np.random.default_rng([seed, *shape]), shape)


def streams_of(kind: str) -> list[tuple[Rates, float, int]]:
    """Draw the seeded grid of one kind: rates, capacity and stream seed, for every shape."""
    return [(*draw(kind, shape, seed), seed) for shape in SHAPES for seed in (1, 2)]


def all_streams() -> Iterator[tuple[Rates, float, int]]:
    """Draw the seeded grids of all kinds, for tests of properties that hold on any stream."""
    for kind in KINDS:
        yield from streams_of(kind)


@st.composite
def streams(draw_from: st.DrawFn) -> tuple[Rates, float, int]:
    """Strategy for small streams: rates, capacity and stream seed."""
    n_iterations = draw_from(st.integers(1, 6))
    n_partitions = draw_from(st.integers(1, 8))
    capacity = draw_from(st.sampled_from([1.0, 10.0, 97.5, 1e6]))
    percent = st.one_of(
        st.sampled_from([0, 10, 20, 30, 40, 50, 60, 70, 100]),
        st.floats(0.0, 150.0, allow_subnormal=False),
        st.just(float("nan")),
    )
    cells = draw_from(
        st.lists(
            percent, min_size=n_iterations * n_partitions, max_size=n_iterations * n_partitions
        )
    )
    rates = np.array(cells, dtype=np.float64).reshape(n_iterations, n_partitions) * capacity / 100.0
    return rates, capacity, draw_from(st.integers(0, 2**63 - 1))


def rows(rates: Rates) -> list[list[float | None]]:
    """Convert rates for the naive reference: absent partitions become None."""
    return [[None if np.isnan(cell) else float(cell) for cell in row] for row in rates]


def assigned(consumers: Consumers) -> list[naive.Assignment]:
    """Convert consumers to the shape of the naive reference: absent partitions become None."""
    return [[None if cell < 0 else int(cell) for cell in row] for row in consumers]


def orders(shape: tuple[int, int], seed: int) -> list[list[int]]:
    """List per iteration the order in which the online algorithms take the partitions."""
    n_iterations, n_partitions = shape
    return [shuffle.permutation(n_partitions, seed, k).tolist() for k in range(n_iterations)]


def applicable(name: str, rates: Rates) -> str:
    """Lower the n of a fixed group to the number of partitions, above which it is refused."""
    n = registry.members_of(name)
    return name if n is None else f"{name.partition('_')[0]}_{min(n, rates.shape[1])}"


def expected(name: str, rates: Rates, capacity: float, seed: int) -> list[naive.Assignment]:
    """Assign a stream by the naive reference."""
    shape = (rates.shape[0], rates.shape[1])
    return naive.assign(applicable(name, rates), rows(rates), capacity, orders(shape, seed))


def run(name: str, rates: Rates, capacity: float, seed: int) -> Consumers:
    """Assign a stream by a registered algorithm."""
    return registry.get(applicable(name, rates)).assign(rates, capacity, seed)


def run_with(name: str, stream: tuple[Rates, float, int], **settings: bool) -> Consumers:
    """Assign a stream by a registered algorithm with further keyword arguments."""
    algorithm = registry.get(name)
    further = dataclasses.replace(algorithm, begin=algorithm.begin.having(**settings))
    return further.assign(*stream)
