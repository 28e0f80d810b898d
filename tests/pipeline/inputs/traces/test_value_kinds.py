"""Whether values are offsets or rates, where nothing but the values says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.inputs.traces.rates.sampled_series import Series
from pipeline.inputs.traces.rates.value_kinds import may_be_offsets, of_values

pytestmark = pytest.mark.unit


def series(*columns: list[float]) -> list[Series]:
    return [
        Series(str(j), np.arange(0.0, 60.0 * len(values), 60.0), np.array(values, dtype=np.float64))
        for j, values in enumerate(columns)
    ]


RISING = [812_000.0 + 120 * k for k in range(30)]
QUIET = [51_000.0] * 20 + [51_003.0] * 20 + [51_004.0] * 20


@pytest.mark.parametrize(
    ("columns", "are_offsets"),
    [
        ([RISING], True),
        ([RISING[:5]], None),
        ([RISING[:1]], None),
        ([QUIET], None),
        ([QUIET, RISING + [RISING[-1]] * 30], True),
        ([RISING[:20] + [40.0 * k for k in range(20)]], True),
        ([[100.0, 160.0, 220.0, 30.0]] * 3, None),
        ([[k + 0.5 for k in RISING]], None),
        ([[3 * k + 0.5 for k in range(20)]], False),
        ([[1.5]], False),
        ([[0.1, 3.0, 2.0]], False),
        ([[5.0, 7.0, 6.0, 9.0, 8.0]], False),
        ([[0.0, 0.0, 0.0]], False),
        ([[7.0, 7.0, 7.0]], None),
        ([[float(k % 200) for k in range(400)]], True),
        ([[float(k % 20) for k in range(400)]], None),
        # Load that rises and falls in many partitions at once is no counter.
        ([[10.0 + j, 12.0 + j, 11.0 + j] for j in range(40)], None),
    ],
)  # fmt: skip
def test_evidence(columns: list[list[float]], are_offsets: bool | None) -> None:
    assert of_values(series(*columns)).are_offsets is are_offsets


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=80), st.integers(0, 10**12))
def test_offsets_never_count_as_rates(written: list[int], begin: int) -> None:
    """Unless nothing was ever written, where both give the same."""
    offsets = begin + np.cumsum(written)
    kind = of_values(series([float(value) for value in offsets]))
    assert kind.are_offsets is not False or not offsets.any()


@given(st.integers(0, 2**32 - 1), st.integers(8, 200), st.floats(1.0, 1e5))
def test_rates_never_count_as_offsets(seed: int, samples: int, mean: float) -> None:
    """Events per minute of a Poisson process, as a panel without decimals shows them."""
    values = np.random.default_rng(seed).poisson(mean, (samples, 3)).astype(float)
    assert of_values(series(*values.T.tolist())).are_offsets is not True


@pytest.mark.parametrize(
    ("columns", "may"),
    [
        ([RISING], True),
        ([RISING[:2]], True),
        ([QUIET], True),
        ([RISING[:20] + [40.0 * k for k in range(20)]], True),
        # Topics that were created again, in few samples.
        ([[812_000.0, 812_120.0, 812_240.0, 60.0, 180.0], [51e3, 51e3, 51e3, 51e3, 51e3]], True),
        ([[812_000.0, 812_120.0, 60.0]], True),
        ([[5.0, 7.0, 9.0]], False),
        ([[5.0, 5.0, 3.0]], False),
        ([[1000.0, 1001.0, 990.0, 992.0]], False),
        ([[7.0, 7.0, 7.0]], False),
        ([[1.5, 2.5]], False),
        ([[900.0, 1000.0, 950.0]], False),
    ],
)
def test_rates_that_may_be_offsets(columns: list[list[float]], may: bool) -> None:
    assert may_be_offsets(np.array(columns).T) is may
