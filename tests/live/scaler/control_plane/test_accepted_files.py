"""Kubernetes' API and KEDA's resource definitions accept each object that `recommend` writes.

Nothing is made: the API only checks, with strict validation of fields.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from algorithms.autoscaling.candidates import candidate
from pipeline.experiments.autoscaling.recommendation import manifests, scaler_workload
from tests.live.scaler.control_plane.cluster_api import ApiRefused
from tests.live.scaler.control_plane.conftest import Deploys
from tests.live.scaler.control_plane.running_plane import ControlPlane
from tests.pipeline.experiments.autoscaling.recommendation import (
    test_controller_files,
    test_manifests,
    test_prometheus_files,
    test_published_scaler_files,
    test_scaler_files,
)

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]

STRATEGIES = test_published_scaler_files.STRATEGIES
_TARGETS = test_published_scaler_files.TARGETS
TARGETS = {
    name: _TARGETS[name]._replace(namespace="shop")
    for name in ("named", "with dots", "with TLS", "several topics")
}
_KEDA = candidate("keda_hpa", limit_to_partitions_with_lag=True, tolerance_up=0.2)


def accepted(plane: ControlPlane, *objects: Any) -> None:
    for each in objects:
        made = plane.api.apply(each, is_dry=True)
        assert made["metadata"]["uid"]
        assert not plane.api.exists(each)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_behind_keda(plane: ControlPlane, strategy: str, target: Any) -> None:
    accepted(
        plane,
        test_published_scaler_files.scaled(strategy, target),
        *scaler_workload.scaler_objects(target),
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_names_certificates(plane: ControlPlane, strategy: str) -> None:
    accepted(plane, *test_published_scaler_files.with_tls(strategy))


def test_scale_to_zero_and_keda_s_own_triggers(plane: ControlPlane) -> None:
    chosen = test_scaler_files.one(test_scaler_files.TO_ZERO)
    to_zero = test_published_scaler_files.to_zero(chosen)
    target = test_manifests.TARGET._replace(namespace="shop")
    own = manifests.scaled_object(_KEDA, test_manifests.SETTINGS, target)
    accepted(plane, to_zero, own, test_prometheus_files.scaled())


def test_a_strategy_under_our_controller(plane: ControlPlane) -> None:
    accepted(plane, *test_controller_files.objects().values())


def test_a_patch_of_the_replicas(plane: ControlPlane, deploys: Deploys) -> None:
    group = deploys(1)
    patch = manifests.deployment_patch(7, manifests.Target("billing", "shop"))
    plane.api.change(patch, patch)
    group.has(7)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("minReplicaCounts", 1, "field not declared in schema"),
        ("minReplicaCount", "one", "expected numeric"),
        ("triggers", None, "spec.triggers: Invalid value"),
    ],
)
def test_what_is_wrong_is_refused(plane: ControlPlane, field: str, value: Any, said: str) -> None:
    wrong = copy.deepcopy(test_published_scaler_files.scaled(STRATEGIES[0], TARGETS["named"]))
    wrong["spec"][field] = value
    with pytest.raises(ApiRefused, match=said):
        plane.api.apply(wrong, is_dry=True)
