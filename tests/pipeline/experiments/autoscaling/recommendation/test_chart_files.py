"""The Helm chart: its files are current, and what it renders is what `recommend` writes."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from pipeline.experiments.autoscaling.recommendation import (
    chart_files,
    scaler_place,
    scaler_workload,
)
from pipeline.experiments.autoscaling.recommendation.chart_files import CHART
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from tests.live.kubernetes import published_workloads
from tests.pipeline.experiments.autoscaling.recommendation.helm_templates import (
    Refused,
    rendered,
)

pytestmark = pytest.mark.unit

CONFIG = "bootstrap: b1:9092\nallow:\n  shop: {groups: [billing], topics: [orders]}\n"


def objects(**changed: Any) -> list[Any]:
    """What Helm would apply in namespace `shop`."""
    defaults = yaml.safe_load((CHART / "values.yaml").read_text())
    assert defaults.keys() >= changed.keys()
    template = (CHART / "templates" / "scaler.yaml").read_text()
    text = rendered(template, {**defaults, "config": CONFIG, **changed}, "billing-scaler", "shop")
    return list(yaml.safe_load_all(text))


@pytest.mark.parametrize("name", chart_files.files())
def test_files_are_up_to_date(name: str) -> None:
    assert (CHART / name).read_text(encoding="utf-8") == chart_files.files()[name], (
        "it is older than the objects; run: make docs"
    )


def test_there_are_no_other_files() -> None:
    every = {str(file.relative_to(CHART)) for file in CHART.rglob("*") if file.is_file()}
    assert every == chart_files.files().keys()


def test_kubernetes_accepts_the_objects() -> None:
    published_workloads.check_together(objects())


def test_but_for_configuration_and_login_they_are_those_of_recommend() -> None:
    config, deployment, *others = objects()
    written, *more = copy.deepcopy(scaler_workload.scaler_objects(Target("billing", "shop")))
    assert others == more
    assert config["data"] == {scaler_place.CONFIG: CONFIG}
    pod = deployment["spec"]["template"]["spec"]
    assert pod["volumes"].pop()["secret"] == {"secretName": "groupscale-client", "optional": True}
    assert pod["containers"][0]["volumeMounts"].pop()["mountPath"] == "/etc/groupscale-client"
    (own,) = (each["configMap"] for each in pod["volumes"] if "configMap" in each)
    assert own["name"] == config["metadata"]["name"] != scaler_place.scaler_of(Target("billing"))
    own["name"] = scaler_place.scaler_of(Target("billing"))
    assert deployment == written


def test_values_are_used() -> None:
    changed = objects(
        image="r.example.com/s:1",
        shadow=True,
        clientSecret="mine",
        brokerPort=9094,
        kedaNamespace="scaling",
    )
    config, deployment, _, policy = changed
    pod = deployment["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "r.example.com/s:1"
    assert pod["containers"][0]["command"][-1] == "--shadow"
    assert pod["volumes"][-1]["secret"]["secretName"] == "mine"
    peer = policy["spec"]["ingress"][0]["from"][0]["namespaceSelector"]["matchLabels"]
    assert policy["spec"]["egress"][-1] == {"ports": [{"port": 9094}]}
    assert peer == {"kubernetes.io/metadata.name": "scaling"}
    published_workloads.check_together(changed)
    (other, *_) = objects(config=CONFIG + "look_s: 2\n")
    assert other["metadata"]["name"] != config["metadata"]["name"]


def test_a_configuration_must_be_given() -> None:
    with pytest.raises(Refused, match="give --set-file"):
        objects(config="")
