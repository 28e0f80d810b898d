"""The same load on more partitions."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.workloads.more_partitions import EVEN, ONE_KEY, hottest_share, multiplied

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("keys", [EVEN, ONE_KEY])
@pytest.mark.parametrize("factor", [1, 2, 5])
def test_no_event_is_lost_and_topics_stay_together(keys: str, factor: int) -> None:
    rates = np.random.default_rng(3).gamma(0.5, 10.0, (40, 7))
    more = multiplied(rates, (3, 4), factor, keys)
    assert more.shape == (40, 7 * factor)
    first = more[:, : 3 * factor].sum(axis=1)
    np.testing.assert_allclose(first, rates[:, :3].sum(axis=1))
    np.testing.assert_allclose(more.sum(axis=1), rates.sum(axis=1))
    for p in range(3):
        np.testing.assert_allclose(more[:, p : 3 * factor : 3].sum(axis=1), rates[:, p])


def test_a_hot_key_stays_whole() -> None:
    rates = np.tile([10.0, 10.0, 70.0], (5, 1))
    assert multiplied(rates, (3,), 2, ONE_KEY)[0].tolist() == [5.0, 5.0, 65.0, 5.0, 5.0, 5.0]
    assert multiplied(rates, (3,), 2, EVEN)[0].max() == 35.0
    assert hottest_share(rates, (3,)) == pytest.approx(60.0)
    assert hottest_share(np.zeros((4, 2)), (1, 1)) == 0.0
