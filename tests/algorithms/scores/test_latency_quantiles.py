"""Quantiles over all samples of the latency model, those without latency included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.assignment import registry
from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores import latency_model
from algorithms.scores.latency_quantiles import quantiles
from algorithms.workloads import random_walk
from tests import naive_latency

pytestmark = pytest.mark.slow

SHARES = [0.0, 0.25, 0.5, 0.9, 0.97, 0.99, 0.999, 1.0]


def stream(seed: int) -> np.ndarray:
    return random_walk.generate(6, 12, 40.0, 100.0, None, seed)


@pytest.mark.parametrize("name", ["MWF", "kd_3", "SR_1"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_they_are_those_of_the_enumerated_samples(name: str, seed: int) -> None:
    rates = stream(seed)
    held = registry.get(name).assign(rates, 100.0, seed)
    samples = naive_latency.enumerate_samples(rates.tolist(), held.tolist(), 120.0, 4.0, 0.25)
    latencies = quantiles(rates, held, 120.0, SHARES, 4.0, 0.25)
    np.testing.assert_allclose(latencies, np.quantile(samples, SHARES), rtol=1e-12)
    assert latencies[-1] == samples.max()


def test_iterations_that_do_not_count_are_left_out_but_leave_their_queues() -> None:
    rates = stream(4)
    held = registry.get("kd_2").assign(rates, 100.0, 4)
    counted = np.ones(len(rates), np.bool_)
    counted[3:6] = False
    # Samples of the first k iterations are the first ones of all.
    sizes = [
        len(naive_latency.enumerate_samples(rates[:k].tolist(), held[:k].tolist(), 120.0, 4.0))
        for k in (3, 6)
    ]
    samples = naive_latency.enumerate_samples(rates.tolist(), held.tolist(), 120.0, 4.0)
    left = np.concatenate([samples[: sizes[0]], samples[sizes[1] :]])
    latencies = quantiles(rates, held, 120.0, SHARES, 4.0, counted=counted)
    np.testing.assert_allclose(latencies, np.quantile(left, SHARES), rtol=1e-12)
    assert latency_model.samples_of(rates, held, 120.0, 4.0, 5.0, counted)[0] == len(left)


def test_data_that_is_never_read_has_no_finite_quantile() -> None:
    rates = np.array([[10.0, 10.0], [10.0, 10.0]])
    held = np.array([[0, 1], [0, 0]], np.int32)
    latencies = quantiles(rates, held, 10.0, [0.25, 0.75, 1.0], 2.0)
    assert latencies.tolist() == [0.0, math.inf, math.inf]


def test_there_are_none_without_samples() -> None:
    rates, held = np.array([[10.0]]), np.array([[0]], np.int32)
    assert np.isnan(quantiles(rates, held, 10.0, [0.5])).all()


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_share_out_of_bounds_is_refused(share: float) -> None:
    with pytest.raises(InvalidParameterError, match="shares"):
        quantiles(np.array([[1.0]]), np.array([[0]], np.int32), 1.0, [share])


def test_a_mask_of_another_length_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="counted"):
        quantiles(
            np.array([[1.0]]), np.array([[0]], np.int32), 1.0, [0.5], counted=np.ones(2, np.bool_)
        )
