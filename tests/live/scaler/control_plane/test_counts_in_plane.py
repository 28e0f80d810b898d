"""A Deployment follows the scaler through KEDA and Kubernetes' pod autoscaler.

Both are processes of their own, with the ScaledObject that `recommend` writes: only the scaler's
address is another one, and syncs are every 2 s in place of 15.
"""

from __future__ import annotations

import json
import time
import urllib.request
from contextlib import suppress
from itertools import groupby
from urllib.error import HTTPError

import pytest

from tests.live.scaler.control_plane.cluster_api import wait_for
from tests.live.scaler.control_plane.conftest import Deploys
from tests.live.scaler.control_plane.plane_files import SYNC_S
from tests.live.scaler.control_plane.running_plane import ControlPlane
from tests.live.scaler.control_plane.scaled_deployment import EXACT, FORMS, asking, written
from tests.live.scaler.keda.asking_keda import GRPC, HTTP, METRIC
from tests.live.scaler.keda.running_scaler import RunningScaler

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]

SERIES = (3, 4, 9, 10, 11, 20, 22, 5)
"""Counts of the scaler; the Deployment begins with one replica."""

SWALLOWED = (3, 4, 9, 10, 10, 20, 20, 5)
"""The same where a step within the tolerance is swallowed: 10 to 11, and 20 to 22 (1.1 exactly)."""

SYNCS = 3


def answers(scaler: RunningScaler, count: int) -> None:
    """Wait until the scaler answers with this count."""

    def is_count() -> bool:
        url = f"http://{scaler.http}/v1/shop/billing"
        with suppress(HTTPError), urllib.request.urlopen(url, timeout=10) as page:
            return bool(json.load(page) == {"replicas": count})
        # Before its first decision it answers with 503.
        return False

    wait_for(is_count, f"the scaler does not answer with {count}")


@pytest.mark.parametrize("kind", [HTTP, GRPC])
@pytest.mark.parametrize(("more", "ends"), [(EXACT, SERIES), ("", SWALLOWED)])
def test_the_replicas_are_the_counts(
    deploys: Deploys, scaler: RunningScaler, kind: str, more: str, ends: tuple[int, ...]
) -> None:
    """Each of them, and no others than those that the scaler decides on."""
    group = deploys(1, asking(written(FORMS[kind] + more), scaler))
    for count, end in zip(SERIES, ends, strict=True):
        scaler.needs(count)
        answers(scaler, count)
        if end == count:
            group.has(count)
        else:
            time.sleep(SYNCS * SYNC_S)
    group.went(1, *(count for count, _ in groupby(ends)))
    # Of a rate that changes between two looks, there may be a mean.
    assert set(group.counts[1:]) <= scaler.decided()
    assert {11, 22}.isdisjoint(group.counts) == (more == "")


@pytest.mark.parametrize("kind", [HTTP, GRPC])
def test_the_pod_autoscaler_is_what_is_written(
    deploys: Deploys, scaler: RunningScaler, kind: str
) -> None:
    manifest = asking(written(FORMS[kind] + EXACT), scaler)
    spec = deploys(1, manifest).autoscaler()["spec"]
    (metric,) = spec["metrics"]
    assert metric["external"]["metric"]["name"] == METRIC[kind]
    assert metric["external"]["target"] == {"type": "AverageValue", "averageValue": "1"}
    own = manifest["spec"]
    bounds = (own["minReplicaCount"], own["maxReplicaCount"])
    assert (spec["minReplicas"], spec["maxReplicas"]) == bounds
    written_rules = own["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert spec["behavior"] == written_rules
    assert spec["behavior"]["scaleUp"]["tolerance"] == "0"


def test_counts_are_held_while_the_operator_is_gone(
    plane: ControlPlane, deploys: Deploys, scaler: RunningScaler
) -> None:
    group = deploys(1, asking(written(FORMS[HTTP]), scaler))
    group.has(3)
    plane.kill_operator()
    scaler.needs(6)
    time.sleep(SYNCS * SYNC_S)
    assert group.counts == [1, 3]
    plane.start_operator()
    # A read that hangs ends after a minute.
    group.has(6, 150.0)
