"""Files of ``groupscale recommend``: what deploys each kind of answer, as Kubernetes accepts it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from live.scaler import count_decisions, scaler_settings
from live.scaler.asked_targets import AskedTargets
from pipeline.inputs.prometheus import exported_time_lag, write_rate
from tests.live.kubernetes import published_workloads
from tests.pipeline.cli.command import Home, call
from tests.pipeline.cli.test_recommend import waves
from tests.pipeline.experiments.autoscaling.recommendation.published_schemas import (
    DEPLOYMENT_PATCH,
    check_authenticated,
    check_scaled_object,
)

pytestmark = [pytest.mark.unit, pytest.mark.slow]


@pytest.mark.parametrize(
    ("strategy", "manifest"), [("constant", "replicas.yaml"), ("keda_hpa", "scaledobject.yaml")]
)
def test_files_to_deploy(home: Home, strategy: str, manifest: str) -> None:
    folder = home.root / "deploy"
    result = call(
        "recommend", waves(home), "--mu", "200", "--slo", "30%@5s", "--strategy", strategy,
        "--output", folder, "--deployment", "reader", "--group", "readers",
        "--bootstrap-servers", "kafka:9092", "--topic", "clicks",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    written = {file.name: file.read_text() for file in folder.iterdir()}
    page = "recommendation.html"
    assert set(written) == {manifest, "consumer.properties", "recommendation.json", page}
    assert f"Written to {folder}: {manifest}" in result.stdout
    is_keda = strategy == "keda_hpa"
    assert ("KEDA counts lag in events" in result.stdout) == is_keda
    assert ("lagThreshold counts events" in written[manifest]) == is_keda
    document = yaml.safe_load(written[manifest])
    (check_scaled_object if is_keda else patch_check)(document)
    assert document["metadata"] == {"name": "reader"}
    assert not any("placeholders" in text for text in written.values())
    assert json.loads(written["recommendation.json"])["answer"]["strategy"] == strategy


def test_files_of_a_scaler_are_accepted(home: Home) -> None:
    """As they are written, with the tolerance of the cluster's versions."""
    folder = home.root / "deploy"
    result = call(
        "recommend", waves(home), "--mu", "200", "--slo", "30%@5s",
        "--strategy", "keda_http:headroom:h=1.5", "--output", folder, "--deployment", "reader.eu",
        "--namespace", "shop", "--group", "readers", "--bootstrap-servers", "kafka:9092",
        "--topic", "clicks", "--kubernetes", "1.35", "--keda", "2.20",
        "--keda-namespace", "scaling",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    written = {file.name: file.read_text() for file in folder.iterdir()}
    scaled = yaml.safe_load(written["scaledobject.yaml"])
    check_scaled_object(scaled)
    behaviour = scaled["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert [behaviour[each]["tolerance"] for each in ("scaleUp", "scaleDown")] == ["0", "0"]
    objects = list(yaml.safe_load_all(written["scaler-objects.yaml"]))
    published_workloads.check_together(objects)
    assert "kubernetes.io/metadata.name: scaling" in written["scaler-objects.yaml"]
    kustomization = yaml.safe_load(written["kustomization.yaml"])
    published_workloads.check_kustomization(kustomization, written, objects)
    record = json.loads(written["recommendation.json"])
    assert record["answer"]["parameters"] == {"h": 1.5, "tolerance_up": 0, "tolerance_down": 0}
    assert (record["asked"]["kubernetes"], record["asked"]["keda"]) == ("1.35", "2.20")


def test_files_of_a_query_are_accepted(home: Home) -> None:
    """With an address that is named, else a placeholder that is said to be one."""
    common = ("recommend", waves(home), "--mu", "200", "--slo", "30%@5s")
    common += ("--strategy", "keda_prometheus:h=1.5:hold=120")
    named = ("--deployment", "reader", "--topic", "clicks", "--exporter", "kminion")
    address = ("--prometheus", "http://prometheus.monitoring.svc:9090")
    for place, options in (("named", (*named, *address)), ("unnamed", named)):
        folder = home.root / place
        result = call(*common, "--output", folder, *options)
        assert result.exit_code == 0, result.output
        assert "KEDA asks your Prometheus" in result.stdout
        written = {file.name: file.read_text() for file in folder.iterdir()}
        assert {"scaledobject.yaml", "README.md"} < set(written)
        assert "scaler.yaml" not in written
        scaled = yaml.safe_load(written["scaledobject.yaml"])
        check_scaled_object(scaled)
        (trigger,) = scaled["spec"]["triggers"]
        query = write_rate.rate("clicks", 12, "kminion", 120.0, 30.0)
        assert trigger["metadata"]["query"] == write_rate.greatest(query, 120.0, 30.0)
        is_named = trigger["metadata"]["serverAddress"] == address[1]
        assert is_named == (place == "named")
        assert is_named != ("placeholders first: --prometheus." in written["scaledobject.yaml"])


def test_files_of_a_time_lag_are_accepted(home: Home) -> None:
    folder = home.root / "deploy"
    result = call(
        "recommend", waves(home), "--mu", "200", "--slo", "30%@60s", "--allow-blind",
        "--strategy", "keda_time_lag:target_s=5", "--output", folder, "--deployment", "reader",
        "--group", "readers", "--topic", "clicks", "--prometheus", "http://prometheus:9090",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    written = {file.name: file.read_text() for file in folder.iterdir()}
    scaled = yaml.safe_load(written["scaledobject.yaml"])
    check_scaled_object(scaled, is_2_18=True)
    (trigger,) = scaled["spec"]["triggers"]
    query = exported_time_lag.greatest("readers", ["clicks"], 12)
    assert trigger["metadata"]["query"] == query
    assert "Kafka Lag Exporter" in written["README.md"]
    assert not any("placeholders" in text for text in written.values())


def test_the_scaler_reads_files_for_three_topics(home: Home) -> None:
    """Of the demo's first hour, with certificates: the trigger and the file say the same."""
    demo, folder = home.root / "demo.csv", home.root / "deploy"
    assert call("demo-data", "-o", demo).exit_code == 0
    head, *rows = demo.read_text().splitlines(keepends=True)
    demo.write_text(head + "".join(rows[: 46 * 60]))
    result = call(
        "recommend", demo, "--mu", "300", "--slo", "30%@60s", "--strategy",
        "keda_external:headroom:h=1.5", "--set", "assignor=sticky", "--output", folder,
        "--deployment", "reader", "--namespace", "shop", "--bootstrap-servers", "kafka:9092",
        "--scaler-image", "registry.example.com/scaler:1", "--scaler-tls",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    settings = scaler_settings.read(folder / "scaler.yaml")
    (target,) = settings.targets.values()
    assert target.topics == ("clicks", "orders", "payments")
    # Sticky gives each of 46 members a partition, where range leaves all above 32 idle.
    assert "assignor=sticky" in target.strategy
    assert target.max_replicas == 46
    count_decisions.check(target, settings.clock.look_s)
    authentication, scaled = yaml.safe_load_all((folder / "scaledobject.yaml").read_text())
    check_authenticated(scaled, authentication)
    (trigger,) = scaled["spec"]["triggers"]
    groups: Any = {name: object() for name in settings.targets}
    asked = AskedTargets(groups, settings.allow)
    assert asked.find("shop", scaled["metadata"]["name"]) is not None
    assert trigger["metadata"]["scalerAddress"] == "reader-scaler.shop.svc:6001"
    objects = list(yaml.safe_load_all((folder / "scaler-objects.yaml").read_text()))
    published_workloads.check_together(objects)
    (container,) = objects[0]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.com/scaler:1"


def patch_check(document: object) -> None:
    DEPLOYMENT_PATCH(document, "")
