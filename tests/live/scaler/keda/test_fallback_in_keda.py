"""KEDA's own rules of the fallback, on the scaler's answers.

In `tools/keda/ask/main.go` are their order, as in KEDA's operator, and the replicas that there are.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.live.scaler.keda.asking_keda import GRPC, HTTP, METRIC, Keda, Read
from tests.live.scaler.keda.running_scaler import RunningScaler
from tests.live.scaler.keda.test_counts_in_keda import opened, value_of
from tests.pipeline.experiments.autoscaling.recommendation.test_scaler_files import scaled

pytestmark = [pytest.mark.keda, pytest.mark.slow]

FALLBACK: dict[str, Any] = scaled("keda_http:headroom")["fallback"]
"""As `recommend` writes it."""

THRESHOLD, REPLICAS = FALLBACK["failureThreshold"], FALLBACK["replicas"]


@pytest.mark.parametrize("kind", [HTTP, GRPC])
def test_it_raises_the_group_after_the_threshold_and_never_shrinks_it(
    keda: Keda, scaler: RunningScaler, kind: str
) -> None:
    trigger = opened(keda, scaler, kind, "shop/quiet", FALLBACK)
    for _ in range(THRESHOLD):
        assert trigger.synced(5).error
    for present, asked in ((5, REPLICAS), (12, 12), (REPLICAS, REPLICAS)):
        assert trigger.synced(present) == Read([(METRIC[kind], asked)], False, "")


def test_without_a_behavior_it_shrinks_the_group(keda: Keda, scaler: RunningScaler) -> None:
    static = {**FALLBACK, "behavior": "static", "failureThreshold": 0}
    assert opened(keda, scaler, HTTP, "shop/quiet", static).synced(12).value == REPLICAS


def test_over_http_it_starts_while_the_scaler_is_gone_and_ends_with_its_return(
    keda: Keda, ending: RunningScaler
) -> None:
    trigger = opened(keda, ending, HTTP, fallback=FALLBACK)
    value_of(trigger, 3)
    ending.kill()
    for _ in range(2):
        for _ in range(THRESHOLD):
            assert trigger.synced(3).error
        assert trigger.synced(3).value == REPLICAS
        ending.start()
        value_of(trigger, 3)
        # An answer resets the count of failures.
        assert trigger.synced(REPLICAS).value == 3
        ending.kill()


def test_over_grpc_it_never_starts_while_the_scaler_is_gone(
    keda: Keda, ending: RunningScaler
) -> None:
    trigger = opened(keda, ending, GRPC, fallback=FALLBACK)
    value_of(trigger, 3)
    ending.kill()
    for _ in range(2 * THRESHOLD):
        assert trigger.synced(3) == Read([], False, "got empty metric spec")
