"""Generated streams: start conditions, increments, clipping, and their distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from algorithms.core import input_errors, seeds
from algorithms.workloads import random_walk
from tests import naive
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

C = 100.0


def generate(
    partitions: int = 50,
    iterations: int = 40,
    delta: float = 10.0,
    initial_rate: float | None = None,
    seed: int = 1,
    clip: bool = True,
) -> cases.Rates:
    """Generate at capacity `C`, the other arguments having a default."""
    return random_walk.generate(partitions, iterations, delta, C, initial_rate, seed, clip=clip)


PINNED = {
    None: [
        [51.18216247002567, 95.04636963259352, 14.415961271963374, 94.86494471372438],
        [47.41879151023538, 93.51289861204503, 20.97001314837221, 93.04892744110761],
        [48.41066526369657, 84.0640808769064, 26.040275321868343, 93.81179370549317],
    ],
    0.0: [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 6.554051876408835, 0.0],
        [0.9918737534611899, 0.0, 11.624314049904967, 0.7628662643855644],
    ],
}


@pytest.mark.parametrize("initial_rate", PINNED)
def test_pinned_rates(initial_rate: float | None) -> None:
    """Bit for bit: a stored stream is identified by its seed, and published results by both.

    Another generator, another order of draws, or another NumPy whose PCG64 differs shows here.
    """
    rates = generate(4, 3, 10.0, initial_rate, seed=1)
    assert rates.tolist() == PINNED[initial_rate]


@pytest.mark.parametrize("clip", [True, False])
@pytest.mark.parametrize("initial_rate", [None, 0.0, 50.0, 100.0])
def test_equals_the_reference(initial_rate: float | None, clip: bool) -> None:
    """Equation 15 in plain Python, on the draws that are promised: PCG64, row by row."""
    draws = np.random.Generator(np.random.PCG64(9)).random((30, 8)).tolist()
    expected = naive.walk(draws, 20.0, C, initial_rate, clip)
    rates = generate(8, 30, 20.0, initial_rate, seed=9, clip=clip)
    assert rates == pytest.approx(np.array(expected), rel=1e-12, abs=1e-10)


def test_form() -> None:
    """What kernels and tables expect: float64, C-contiguous, nothing absent."""
    rates = generate(partitions=7, iterations=3)
    assert rates.shape == (3, 7)
    assert rates.dtype == np.float64
    assert rates.flags.c_contiguous
    assert np.isfinite(rates).all()


@pytest.mark.parametrize("percent", [0.0, 50.0, 100.0])
def test_constant_starts(percent: float) -> None:
    """All partitions start at the same share of the capacity."""
    rates = random_walk.generate(20, 2, 5.0, 1e7, percent, 1)
    assert (rates[0] == percent / 100.0 * 1e7).all()
    assert len(np.unique(rates[1])) > 5


def test_uniform_start_spreads_over_the_capacity() -> None:
    """Kolmogorov-Smirnov against the uniform distribution on [0, C], for a fixed seed."""
    first = generate(partitions=4000, iterations=1)[0]
    assert 0.0 <= first.min() < 1.0
    assert 99.0 < first.max() <= C
    assert stats.kstest(first / C, "uniform").pvalue > 0.01


@given(
    partitions=st.integers(1, 6),
    iterations=st.integers(1, 12),
    delta=st.floats(0.0, 100.0),
    initial_rate=st.sampled_from([None, 0.0, 50.0, 100.0]),
    seed=st.integers(0, 2**63 - 1),
    clip=st.booleans(),
)
def test_rates_stay_in_bounds_and_steps_within_delta(
    partitions: int,
    iterations: int,
    delta: float,
    initial_rate: float | None,
    seed: int,
    clip: bool,
) -> None:
    """Never negative; at most C where clipped; no step above δ % of C."""
    rates = generate(partitions, iterations, delta, initial_rate, seed, clip)
    assert (rates >= 0.0).all()
    if clip:
        assert (rates <= C).all()
    steps = np.abs(np.diff(rates, axis=0))
    assert (steps <= delta / 100.0 * C * (1 + 1e-12) + 1e-12).all()


def test_clipping_is_the_default_and_reaches_both_ends() -> None:
    """δ = 25 drives partitions to 0 and to C, and keeps them there for a while."""
    rates = random_walk.generate(50, 200, 25.0, C, 50.0, 3)
    assert rates.min() == 0.0
    assert rates.max() == C
    assert (rates == generate(50, 200, 25.0, 50.0, 3, clip=True)).all()


def test_without_clipping_only_zero_is_a_border() -> None:
    """Equation 15 as printed: speeds may grow above the capacity, never below 0."""
    rates = generate(50, 200, 25.0, 50.0, 3, clip=False)
    assert rates.min() == 0.0
    assert rates.max() > 2 * C


def test_clipping_changes_nothing_before_the_first_border() -> None:
    """Both variants use the same draws, so they part only where a partition exceeds C."""
    clipped = generate(initial_rate=50.0, delta=25.0)
    printed = generate(initial_rate=50.0, delta=25.0, clip=False)
    below = np.maximum.accumulate(printed, axis=0) <= C
    assert 0.2 < below.mean() < 0.9
    assert (clipped[below] == printed[below]).all()


def test_without_variation_the_start_stays() -> None:
    """δ = 0."""
    rates = generate(delta=0.0)
    assert (rates == rates[0]).all()
    assert len(np.unique(rates[0])) == 50


def test_steps_are_uniform_and_centred() -> None:
    """Kolmogorov-Smirnov of the steps against [-δ, δ], far from both borders."""
    rates = generate(partitions=2000, iterations=6, delta=5.0, initial_rate=50.0)
    steps = np.diff(rates, axis=0).ravel() / 5.0
    assert stats.kstest(steps, stats.uniform(-1.0, 2.0).cdf).pvalue > 0.01
    assert abs(steps.mean()) < 4 * np.sqrt(1 / 3 / steps.size)


def test_partitions_and_iterations_are_uncorrelated() -> None:
    """No step tells anything about the partition's next step, or about its neighbour's."""
    steps = np.diff(generate(partitions=400, iterations=6, delta=5.0, initial_rate=50.0), axis=0)
    pairs = [(steps[1:], steps[:-1]), (steps[:, 1:], steps[:, :-1])]
    for ours, theirs in pairs:
        correlation = np.corrcoef(ours.ravel(), theirs.ravel())[0, 1]
        assert abs(correlation) < 4 / np.sqrt(ours.size)


def test_same_arguments_same_stream() -> None:
    """Bit for bit, also after other streams were generated in between."""
    first = generate(seed=7)
    generate(partitions=3, seed=8)
    assert np.array_equal(generate(seed=7), first)


def test_streams_of_different_seeds_differ() -> None:
    """Also from the first iteration on."""
    firsts = [generate(seed=seeds.stream_seed(1, 10.0, r))[0].tobytes() for r in range(20)]
    assert len(set(firsts)) == 20


def test_a_shorter_stream_is_the_start_of_a_longer_one() -> None:
    """More iterations continue the experiment instead of starting another one."""
    assert np.array_equal(generate(iterations=15), generate(iterations=40)[:15])


def test_capacity_is_only_a_unit() -> None:
    """The same stream in bytes/s as in percent (a power of two is exact)."""
    in_percent = random_walk.generate(20, 30, 15.0, 1.0, None, 4)
    in_bytes = random_walk.generate(20, 30, 15.0, 1048576.0, None, 4)
    assert np.array_equal(in_percent * 1048576.0, in_bytes)


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("partitions", (0, 5, 5.0, C, None, 1)),
        ("iterations", (5, 0, 5.0, C, None, 1)),
        ("delta", (5, 5, -0.1, C, None, 1)),
        ("delta", (5, 5, 100.1, C, None, 1)),
        ("delta", (5, 5, float("nan"), C, None, 1)),
        ("capacity", (5, 5, 5.0, 0.0, None, 1)),
        ("capacity", (5, 5, 5.0, float("inf"), None, 1)),
        ("initial_rate", (5, 5, 5.0, C, -1.0, 1)),
        ("initial_rate", (5, 5, 5.0, C, 100.5, 1)),
        ("seed", (5, 5, 5.0, C, None, -1)),
    ],
)
def test_wrong_arguments_are_named(
    field: str, arguments: tuple[int, int, float, float, float | None, int]
) -> None:
    """The message names the field."""
    with pytest.raises(input_errors.InvalidParameterError, match=field):
        random_walk.generate(*arguments)
