"""Going live and going back, as docs/deploy.md says: no replica is lost on the way."""

from __future__ import annotations

import time

import pytest

from tests.live.scaler.control_plane.cluster_api import Object, wait_for
from tests.live.scaler.control_plane.conftest import Deploys
from tests.live.scaler.control_plane.plane_files import SYNC_S
from tests.live.scaler.control_plane.running_plane import ControlPlane
from tests.live.scaler.control_plane.scaled_deployment import (
    FORMS,
    ScaledDeployment,
    asking,
    inactive,
    pod_autoscaler,
    written,
)
from tests.live.scaler.keda.asking_keda import GRPC, HTTP
from tests.live.scaler.keda.running_scaler import RunningScaler

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]

WHILE_S = 4 * SYNC_S


@pytest.fixture
def group(deploys: Deploys, scaler: RunningScaler) -> ScaledDeployment:
    """A group of 3, which began with 1."""
    own = deploys(1, asking(written(FORMS[HTTP]), scaler))
    own.has(3)
    return own


def test_a_group_whose_scale_in_is_paused_only_grows(
    group: ScaledDeployment, scaler: RunningScaler
) -> None:
    group.annotate(paused_scale_in="true")
    wait_for(
        lambda: _down(group)["selectPolicy"] == "Disabled", "the pod autoscaler still shrinks it"
    )
    scaler.needs(2)
    time.sleep(WHILE_S)
    assert group.counts == [1, 3]
    scaler.needs(8)
    group.has(8)
    scaler.needs(4)
    time.sleep(WHILE_S)
    assert group.counts == sorted(group.counts)
    assert group.counts[-1] == 8
    group.annotate(paused_scale_in=None)
    group.has(4)


def _down(group: ScaledDeployment) -> Object:
    return dict(group.autoscaler()["spec"]["behavior"]["scaleDown"])


def test_a_deleted_scaled_object_leaves_the_count(
    plane: ControlPlane, group: ScaledDeployment
) -> None:
    group.release()
    own = pod_autoscaler("keda-hpa-billing")
    wait_for(lambda: not plane.api.exists(own), "the pod autoscaler is still there")
    time.sleep(SYNC_S)
    assert group.counts == [1, 3]


def test_the_count_at_the_start_comes_back_where_it_is_asked_for(
    deploys: Deploys, scaler: RunningScaler
) -> None:
    manifest = asking(written(FORMS[HTTP]), scaler)
    manifest["spec"]["advanced"]["restoreToOriginalReplicaCount"] = True
    group = deploys(2, manifest)
    group.has(3)
    group.release()
    group.has(2)


def test_an_old_file_takes_its_scaled_object_back(
    group: ScaledDeployment, scaler: RunningScaler
) -> None:
    """Its trigger is exchanged while it scales."""
    group.annotate(paused_scale_in="true")
    old = asking(written(FORMS[GRPC]), scaler)
    group.scale_by(old)
    group.annotate(paused_scale_in=None)
    scaler.needs(5)
    group.has(5)
    assert group.counts == sorted(group.counts)


def test_a_pod_autoscaler_is_taken_over_and_goes_with_the_scaled_object(
    plane: ControlPlane, deploys: Deploys, scaler: RunningScaler
) -> None:
    group = deploys(4)
    plane.api.apply(_own("old"))
    manifest = asking(written(FORMS[HTTP]), scaler)
    manifest["metadata"]["annotations"] = {"scaledobject.keda.sh/transfer-hpa-ownership": "true"}
    manifest["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["name"] = "old"
    group.scale_by(manifest, "old")
    group.has(3)
    group.release()
    wait_for(lambda: not plane.api.exists(pod_autoscaler("old")), "it is still there")
    assert group.counts == [4, 3]


def test_two_pod_autoscalers_of_a_group_both_stop(
    plane: ControlPlane, group: ScaledDeployment, scaler: RunningScaler
) -> None:
    """One that is added later is accepted; we look for it."""
    plane.api.apply(_own("second"))
    try:
        wait_for(lambda: inactive(group.autoscaler()) == "AmbiguousSelector", "it has not stopped")
        scaler.needs(6)
        time.sleep(WHILE_S)
        assert group.counts == [1, 3]
    finally:
        plane.api.delete(pod_autoscaler("second"))
    group.has(6)


def _own(name: str) -> Object:
    """A pod autoscaler by the processor's load, which nothing measures here."""
    load = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
    return {
        **pod_autoscaler(name),
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "billing"},
            "maxReplicas": 30,
            "metrics": [{"type": "Resource", "resource": load}],
        },
    }
