"""Load that varies within recorded steps."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.workloads.within_steps import varied

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("variation", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("parts", [12, 60])
def test_steps_keep_their_events_and_vary_as_much_as_asked(variation: float, parts: int) -> None:
    means = np.repeat(np.linspace(1.0, 9.0, 2000)[:, None] * np.array([1.0, 3.0]), parts, axis=0)
    rates = varied(means, parts, variation, 4)
    steps = rates.reshape(2000, parts, 2)
    np.testing.assert_allclose(steps.mean(axis=1), means[::parts])
    factors = rates / means
    np.testing.assert_allclose(factors[:, 0], factors[:, 1])
    assert factors[:, 0].std() == pytest.approx(variation, rel=0.03)
    assert not np.array_equal(rates, varied(means, parts, variation, 5))
    np.testing.assert_array_equal(rates, varied(means, parts, variation, 4))


def test_nothing_varies_without_variation_or_parts() -> None:
    rates = np.arange(12.0).reshape(6, 2)
    assert varied(rates, 3, 0.0, 1) is rates
    assert varied(rates, 1, 0.5, 1) is rates


@pytest.mark.parametrize(
    ("parts", "variation", "message"),
    [(4, 0.3, "whole number of steps"), (0, 0.3, "parts"), (3, -0.1, "variation"),
     (3, 2.5, "variation")],
)  # fmt: skip
def test_wrong_arguments(parts: int, variation: float, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        varied(np.ones((6, 1)), parts, variation, 1)
