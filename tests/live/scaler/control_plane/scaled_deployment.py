"""Deployment `billing` in `shop`, and the ScaledObject that scales it as `recommend` writes it."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from pipeline.experiments.autoscaling.recommendation import scaler_files
from pipeline.experiments.autoscaling.recommendation.consumer_settings import KAFKAS_DEFAULT
from tests.live.scaler.control_plane.cluster_api import ClusterApi, Object, named, wait_for
from tests.live.scaler.keda.asking_keda import GRPC, HTTP
from tests.live.scaler.keda.running_scaler import RunningScaler
from tests.pipeline.experiments.autoscaling.recommendation.test_scaler_files import (
    SETTINGS,
    TARGET,
    one,
)

PARTITIONS = 30
"""And the most replicas."""

FORMS = {HTTP: "keda_http:headroom", GRPC: "keda_external:headroom"}
EXACT = ":tolerance_up=0:tolerance_down=0"
PATIENCE_S = 60.0
_LABELS = {"app": "billing"}


def written(form: str, **own: Any) -> Any:
    """ScaledObject of a strategy; `own` are settings of the simulated group."""
    settings = {**SETTINGS, "max_replicas": PARTITIONS, **own}
    target = TARGET._replace(recorded=(("orders", PARTITIONS),))
    return scaler_files.scaled_object(one(form), settings, target, KAFKAS_DEFAULT, PARTITIONS, 6.2)


def asking(manifest: Any, scaler: RunningScaler) -> Any:
    """The same with the address of this machine, in place of the Service's."""
    asked = copy.deepcopy(manifest)
    metadata = asked["spec"]["triggers"][0]["metadata"]
    if "url" in metadata:
        metadata["url"] = re.sub("//[^/]+", f"//{scaler.http}", metadata["url"])
    else:
        metadata["scalerAddress"] = scaler.grpc
    return asked


class ScaledDeployment:
    """Exists from the start on, without a ScaledObject.

    counts: Its `spec.replicas`, one after the other, without repetitions.
    """

    def __init__(self, api: ClusterApi, replicas: int) -> None:
        self._api = api
        self.counts: list[int] = []
        self._deployment = named("apps/v1", "Deployment", "billing")
        self._scaled_object = named("keda.sh/v1alpha1", "ScaledObject", "billing")
        container = {"name": "consumer", "image": "groupscale"}
        template = {"metadata": {"labels": _LABELS}, "spec": {"containers": [container]}}
        api.apply(
            {
                **self._deployment,
                "spec": {"selector": {"matchLabels": _LABELS}, "template": template},
            }
        )
        # As `kubectl scale`: what is applied does not have the replicas.
        api.change(self._deployment, {"spec": {"replicas": replicas}})
        api.watch(self._deployment, self._changed)
        self.has(replicas)

    def _changed(self, state: Object) -> None:
        count = state["spec"]["replicas"]
        if self.counts[-1:] != [count]:
            self.counts.append(count)

    def scale_by(self, manifest: Mapping[str, Any], autoscaler: str = "keda-hpa-billing") -> None:
        """Apply a ScaledObject, and wait until it has its pod autoscaler."""
        self._api.apply(manifest)
        wait_for(lambda: self._asks_keda(autoscaler), f"no {autoscaler}: {self.notes()}")

    def _asks_keda(self, autoscaler: str) -> bool:
        document = pod_autoscaler(autoscaler)
        if not self._api.exists(document):
            return False
        metrics = self._api.get(document)["spec"]["metrics"]
        return [each["type"] for each in metrics] == ["External"]

    def annotate(self, **values: str | None) -> None:
        """Annotations of the ScaledObject, by KEDA's name of each; None removes one."""
        annotations = {
            f"autoscaling.keda.sh/{name.replace('_', '-')}": value for name, value in values.items()
        }
        self._api.change(self._scaled_object, {"metadata": {"annotations": annotations}})

    def release(self) -> None:
        """Delete the ScaledObject."""
        self._api.delete(self._scaled_object)

    def has(self, count: int, within_s: float = PATIENCE_S) -> None:
        """Wait until the Deployment has so many replicas."""
        message = f"not {count}, but {self.counts}"
        wait_for(lambda: self.counts[-1:] == [count], message, within_s)

    def went(self, *counts: int) -> None:
        """Check that it has had these counts one after the other, perhaps with others between."""
        left = iter(self.counts)
        assert all(count in left for count in counts), self.counts

    def autoscaler(self) -> Object:
        """The pod autoscaler that KEDA has made."""
        return self._api.get(pod_autoscaler("keda-hpa-billing"))

    def condition(self, kind: str) -> str:
        """Status of a condition of the ScaledObject."""
        found = self._api.get(self._scaled_object).get("status", {}).get("conditions") or ()
        return next((str(each["status"]) for each in found if each["type"] == kind), "")

    def notes(self) -> list[str]:
        """Events of the ScaledObject."""
        return self._api.events(self._api.get(self._scaled_object)["metadata"]["uid"])

    def end(self) -> None:
        """Delete it, and its ScaledObject first."""
        self.release()
        self._api.delete(self._deployment, "Foreground")
        wait_for(
            lambda: not self._api.exists(pod_autoscaler("keda-hpa-billing")),
            "the pod autoscaler is still there",
        )


def pod_autoscaler(name: str) -> Object:
    """A HorizontalPodAutoscaler with nothing but its name."""
    return named("autoscaling/v2", "HorizontalPodAutoscaler", name)


def inactive(autoscaler: Object) -> str:
    """Why a pod autoscaler has no metric; empty if it has one."""
    for each in autoscaler.get("status", {}).get("conditions") or ():
        if each["type"] == "ScalingActive" and each["status"] == "False":
            return str(each["reason"])
    return ""
