"""The table of thresholds says what `headroom` decides while shares stay the same."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.autoscaling.count_thresholds import thresholds
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.autoscaling import cases

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("assignor", ["range", "roundrobin", "sticky", "kip848_uniform", "kip169"])
@pytest.mark.parametrize("seed", range(4))
def test_counts_are_those_of_headroom(assignor: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    group = cases.group(rng, assignor=assignor, burst=False, max_replicas=12)
    shares = rng.uniform(0.0, 1.0, group.partitions)
    table = thresholds(shares, assignor, group.mu, 1.2, group.max_replicas)
    assert table.shape == (11,)
    assert (np.diff(table) >= 0.0).all()
    for total in rng.uniform(0.0, 12.0 * group.mu, 20):
        seen = cases.seen(rng, group)._replace(
            rates=total * shares / shares.sum(),
            lags=np.zeros(group.partitions),
            owners=np.full(group.partitions, -1),
        )
        ((count, _, _),) = cases.decided("headroom", group, seen)
        assert 1 + (total > table).sum() == count


def test_one_replica_has_no_threshold() -> None:
    assert thresholds(np.ones(3), "range", 100.0, 1.0, 1).size == 0


def test_an_idle_recording_has_equal_shares() -> None:
    equal = thresholds(np.ones(6), "range", 100.0, 1.5, 4)
    assert thresholds(np.zeros(6), "range", 100.0, 1.5, 4).tolist() == equal.tolist()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"h": 0.0}, "h must be"),
        ({"capacity": 0.0}, "capacity must be"),
        ({"max_replicas": 0}, "max_replicas must"),
    ],
)
def test_wrong_numbers_are_refused(changed: dict[str, float], words: str) -> None:
    own = {"capacity": 100.0, "h": 1.0, "max_replicas": 3, **changed}
    with pytest.raises(InvalidParameterError, match=words):
        thresholds(np.ones(3), "range", **own)  # type: ignore[arg-type]
