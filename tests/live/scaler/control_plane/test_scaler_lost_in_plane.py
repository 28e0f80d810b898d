"""The scaler is killed or blind: the count is held, then raised, and the reason is an event."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.live.scaler.control_plane.cluster_api import wait_for
from tests.live.scaler.control_plane.conftest import Deploys
from tests.live.scaler.control_plane.plane_files import SYNC_S
from tests.live.scaler.control_plane.scaled_deployment import (
    FORMS,
    ScaledDeployment,
    asking,
    inactive,
    written,
)
from tests.live.scaler.keda.asking_keda import GRPC, HTTP
from tests.live.scaler.keda.running_scaler import RunningScaler
from tests.live.scaler.keda.test_limits_of_keda import serving
from tests.live.scaler.keda.test_prometheus_in_keda import vector
from tests.pipeline.experiments.autoscaling.recommendation import test_prometheus_files

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]

_SPEC: Any = written(FORMS[HTTP])["spec"]
RAISED: int = _SPEC["fallback"]["replicas"]
FAILURES: int = _SPEC["fallback"]["failureThreshold"] + 1
TO_FALLBACK_S = FAILURES / (1 / SYNC_S + 1 / _SPEC["pollingInterval"])
"""Each sync and each poll is a failure."""

HELD_S = TO_FALLBACK_S + 4 * SYNC_S
LATEST_S = TO_FALLBACK_S + 30.0
FAULT = "no permission to describe group 'billing'"
SAID = {
    HTTP: "error requesting metrics endpoint: /v1/shop/billing: api returned 503",
    GRPC: f"rpc error: code = Unavailable desc = {FAULT}",
}


def is_raised(group: ScaledDeployment, began_s: float, count: int = RAISED) -> None:
    """Not before the threshold: two syncs may be polls, and one is cut."""
    group.has(count, LATEST_S)
    assert time.monotonic() - began_s >= TO_FALLBACK_S - 3 * SYNC_S
    wait_for(lambda: group.condition("Fallback") == "True", f"no fallback: {group.notes()}")


def has_note(group: ScaledDeployment, reason: str, text: str) -> None:
    """Wait for an event; they come with KEDA's own polls alone, the first when it begins."""
    until = time.monotonic() + 60.0
    while not any(note.startswith(f"{reason}: ") and text in note for note in group.notes()):
        assert time.monotonic() < until, group.notes()
        time.sleep(0.5)


def test_a_killed_scaler_over_http_raises_a_small_group_alone(
    deploys: Deploys, scaler: RunningScaler
) -> None:
    group = deploys(1, asking(written(FORMS[HTTP]), scaler))
    group.has(3)
    scaler.kill()
    is_raised(group, time.monotonic())
    assert group.counts == [1, 3, RAISED]
    scaler.needs(12)
    scaler.start()
    group.has(12)
    scaler.kill()
    before = [*group.counts]
    time.sleep(HELD_S)
    assert group.counts == before
    # Less than before its start is not asked for until an hour later.
    scaler.needs(14)
    scaler.start()
    group.has(14)
    wait_for(lambda: group.condition("Fallback") == "False", "the fallback has not ended")


def test_a_killed_scaler_over_grpc_leaves_the_group_as_it_is(
    deploys: Deploys, scaler: RunningScaler
) -> None:
    group = deploys(1, asking(written(FORMS[GRPC]), scaler))
    group.has(3)
    scaler.kill()
    time.sleep(HELD_S)
    assert group.counts == [1, 3]
    assert inactive(group.autoscaler()) == "FailedGetExternalMetric"
    assert group.condition("Fallback") != "True"
    scaler.needs(4)
    scaler.start()
    group.has(4)


@pytest.mark.parametrize("kind", [HTTP, GRPC])
def test_a_scaler_without_a_count_is_held_and_then_raised(
    deploys: Deploys, scaler: RunningScaler, kind: str
) -> None:
    """It has not been allowed to look since its start: 503, and UNAVAILABLE."""
    scaler.kill()
    scaler.forget()
    scaler.needs(3, FAULT)
    scaler.start()
    group = deploys(3, asking(written(FORMS[kind]), scaler))
    began_s = time.monotonic()
    wait_for(lambda: inactive(group.autoscaler()) != "", "the pod autoscaler has a metric")
    is_raised(group, began_s)
    assert group.counts == [3, RAISED]
    has_note(group, "KEDAScalerFailed", SAID[kind])
    scaler.needs(4)
    group.has(4)


def test_a_blind_scaler_keeps_the_count_and_then_raises_it_to_the_last_hour_s(
    deploys: Deploys, scaler: RunningScaler
) -> None:
    group = deploys(1, asking(written(FORMS[HTTP]), scaler))
    group.has(3)
    scaler.needs(8)
    group.has(8)
    scaler.needs(2)
    group.has(2)
    scaler.needs(2, "no broker answers")
    group.has(8)
    scaler.needs(2)
    group.has(2)
    group.went(1, 3, 8, 2, 8, 2)
    assert group.condition("Fallback") != "True"


def test_a_formula_without_a_query_is_held_and_then_raised(deploys: Deploys) -> None:
    values: list[str] = []
    manifest = test_prometheus_files.scaled()
    formula = manifest["spec"]["advanced"]["scalingModifiers"]["formula"]
    raised = manifest["spec"]["fallback"]["replicas"]
    counts = [test_prometheus_files.evaluated(formula, m) for m in (500.0, 250.0)]
    with serving(lambda: vector(*values)) as url:
        manifest["spec"]["triggers"][0]["metadata"]["serverAddress"] = url
        group = deploys(3, manifest)
        is_raised(group, time.monotonic(), raised)
        has_note(group, "KEDAMetricSourceFailed", "target may be lost, the result is empty")
        for value, count in zip(("500", "250"), counts, strict=True):
            values[:] = [value]
            group.has(count)
    assert group.counts == [3, raised, *counts]
