"""KEDA and the pod autoscaler, as a live run plays them, while its scaler answers and does not."""

from __future__ import annotations

import pytest

from algorithms.autoscaling.blind_answers import FAILURE_THRESHOLD
from algorithms.autoscaling.hpa import HorizontalPodAutoscaler
from algorithms.autoscaling.scaling_policies import AT_ONCE
from live.groups.keda_player import ANSWERED, FALLBACK, HELD, KedaPlayer

pytestmark = pytest.mark.unit

SYNC_S = 15.0


def player(fallback: int) -> KedaPlayer:
    pods = HorizontalPodAutoscaler(1, 40, 1.0, scale_up=AT_ONCE, scale_down=AT_ONCE)
    return KedaPlayer(pods, fallback)


def test_an_answer_is_followed_both_ways() -> None:
    keda = player(5)
    assert keda.sync(SYNC_S, 7, 3) == (7, ANSWERED)
    assert keda.sync(2 * SYNC_S, 2, 7) == (2, ANSWERED)


def test_a_step_within_the_tolerance_is_swallowed() -> None:
    assert player(5).sync(SYNC_S, 11, 10) == (10, ANSWERED)
    assert player(5).sync(SYNC_S, 12, 10) == (12, ANSWERED)


@pytest.mark.parametrize(("members", "raised"), [(2, 5), (12, 12)])
def test_without_answers_the_group_holds_and_then_rises(members: int, raised: int) -> None:
    keda = player(5)
    for k in range(1, FAILURE_THRESHOLD + 1):
        assert keda.sync(k * SYNC_S, None, members) == (members, HELD)
    assert keda.sync((FAILURE_THRESHOLD + 1) * SYNC_S, None, members) == (raised, FALLBACK)
    assert keda.sync((FAILURE_THRESHOLD + 2) * SYNC_S, 3, raised) == (3, ANSWERED)


def test_polls_count_failures_too_and_an_answer_ends_them() -> None:
    keda = player(5)
    for _ in range(FAILURE_THRESHOLD):
        keda.poll(None)
    assert keda.sync(SYNC_S, None, 2) == (5, FALLBACK)
    keda.poll(4)
    assert keda.sync(2 * SYNC_S, None, 5) == (5, HELD)
