"""Manifests of live groups: valid by the published schemas, secrets by reference only."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from live.kubernetes.standing_consumer import slot_of
from live.live_settings import LiveSettings
from pipeline.cli.app import app
from tests.live.kubernetes import published_workloads
from tests.pipeline.experiments.autoscaling.recommendation.published_schemas import Refused

pytestmark = pytest.mark.unit

GIVEN = (
    *("--bootstrap", "b1:9092,b2:9092", "--partitions", "12"),
    *("--capacity", "20MB", "--consumer-rate", "25MB", "--image", "registry.example/gs:1"),
)


def said(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["live", "manifests", *words])
    return result.exit_code, result.stdout, result.stderr


def rendered(*words: str) -> dict[str, Any]:
    status, out, _ = said("orders", *GIVEN, *words)
    assert status == 0
    return {document["kind"]: document for document in yaml.safe_load_all(out)}


def pod(document: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = document["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize(
    "words",
    [(), ("--secret", "kafka-client", "--namespace", "events", "--module", "order_totals")],
)
def test_kubernetes_accepts_them(words: tuple[str, ...]) -> None:
    objects = rendered(*words)
    assert list(objects) == ["ConfigMap", "Service", "StatefulSet", "Deployment"]
    for document in objects.values():
        published_workloads.check(document)
        assert document["metadata"].get("namespace") == ("events" if words else None)


def test_the_settings_are_those_that_the_processes_read(tmp_path: Path) -> None:
    from live.live_settings import load

    file = tmp_path / "settings.json"
    file.write_text(rendered("--nodes", "3")["ConfigMap"]["data"]["settings.json"])
    settings = load(file)
    assert isinstance(settings, LiveSettings)
    assert (settings.run, settings.bootstrap) == ("orders", "b1:9092,b2:9092")
    assert (settings.partitions, settings.capacity, settings.consumer_rate) == (12, 2e7, 2.5e7)
    assert (settings.nodes, settings.speeds, settings.client_file) == (3, "measured", "")
    # Clocks of pods have distances of their own.
    assert settings.clock_offset_ns == 0


def test_secrets_are_mounted_and_never_read() -> None:
    objects = rendered("--secret", "kafka-client")
    file = json.loads(objects["ConfigMap"]["data"]["settings.json"])["client_file"]
    for kind in ("StatefulSet", "Deployment"):
        spec = pod(objects[kind])
        (volume,) = (each for each in spec["volumes"] if "secret" in each)
        assert volume["secret"] == {"secretName": "kafka-client", "defaultMode": 0o440}
        (mount,) = (
            each for each in spec["containers"][0]["volumeMounts"] if each["name"] == volume["name"]
        )
        assert mount["readOnly"]
        assert file == f"{mount['mountPath']}/client.properties"
    without = rendered()
    assert not any("secret" in each for each in pod(without["Deployment"])["volumes"])


def test_there_is_a_pod_for_each_consumer() -> None:
    assert rendered()["StatefulSet"]["spec"]["replicas"] == 12
    assert rendered("--consumers", "5")["StatefulSet"]["spec"]["replicas"] == 5
    objects = rendered("--module", "order_totals", "--strategy", "SR_1")
    assert pod(objects["StatefulSet"])["containers"][0]["command"][-2:] == [
        "$(POD)",
        "order_totals",
    ]
    assert pod(objects["Deployment"])["containers"][0]["command"][-1] == "SR_1"
    assert slot_of("orders-consumers-0") == 0


@pytest.mark.parametrize("words", [(), ("--namespace", "events")])
def test_a_controller_may_scale_its_own_consumers_and_nothing_else(words: tuple[str, ...]) -> None:
    objects = rendered("--scale", *words)
    for document in objects.values():
        published_workloads.check(document)
    assert list(objects)[:3] == ["ServiceAccount", "Role", "RoleBinding"]
    (rule,) = objects["Role"]["rules"]
    consumers, controller = objects["StatefulSet"], objects["Deployment"]
    assert rule == {
        "apiGroups": ["apps"],
        "resources": ["statefulsets/scale"],
        "resourceNames": [consumers["metadata"]["name"]],
        "verbs": ["get", "patch"],
    }
    account = objects["ServiceAccount"]["metadata"]
    (subject,) = objects["RoleBinding"]["subjects"]
    assert (subject["name"], subject.get("namespace")) == (
        account["name"],
        account.get("namespace"),
    )
    assert objects["RoleBinding"]["roleRef"]["name"] == objects["Role"]["metadata"]["name"]
    assert pod(controller)["serviceAccountName"] == account["name"]
    assert pod(controller)["automountServiceAccountToken"]
    assert not pod(consumers)["automountServiceAccountToken"]
    assert pod(controller)["containers"][0]["command"][-1] == consumers["metadata"]["name"]
    # Another apply must not change them.
    assert "replicas" not in consumers["spec"]
    assert consumers["spec"]["podManagementPolicy"] == "Parallel"
    assert controller["spec"]["strategy"] == {"type": "Recreate"}


def test_a_strategy_that_decides_on_a_count_scales() -> None:
    label = "controller:headroom+placement:h=1.5"
    objects = rendered("--strategy", label)
    command = pod(objects["Deployment"])["containers"][0]["command"]
    assert command[-2:] == [label, objects["StatefulSet"]["metadata"]["name"]]
    assert "Role" in objects


BROKEN = {
    "an unknown field": lambda d: pod(d).update(containerz=[]),
    "a mount of no volume": lambda d: pod(d)["volumes"].clear(),
    "a variable that is not there": lambda d: pod(d)["containers"][0]["env"].clear(),
    "labels that differ": lambda d: d["spec"]["template"]["metadata"]["labels"].clear(),
    "a name in capitals": lambda d: d["metadata"].update(name="Orders"),
    "a number as a text": lambda d: d["spec"].update(replicas="3"),
    "a mode too large": lambda d: pod(d)["volumes"][2]["secret"].update(defaultMode=0o7777),
    "no image": lambda d: pod(d)["containers"][0].pop("image"),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN.keys())
def test_the_schema_refuses_what_kubernetes_refuses(change: Any) -> None:
    """Otherwise the tests above would say nothing."""
    document = copy.deepcopy(rendered("--secret", "kafka-client")["StatefulSet"])
    change(document)
    with pytest.raises(Refused):
        published_workloads.check(document)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--strategy", "kafka_848_3"), "`strategy` must be an assignment algorithm"),
        (("--strategy", "foo"), "`strategy` must be an assignment algorithm"),
        (("--partitions", "201"), "`partitions` must be an integer between 1 and 200 (got 201)"),
        (("--consumers", "13"), "`consumers` must be between 1 and 12, one per partition"),
        (("--consumer-rate", "1MB"), "`consumer_rate` must be at least `capacity`"),
        (("--capacity", "fast"), "`capacity` must be a number between 1000 and 4e+07 bytes/s"),
        (("--nodes", "2"), "`nodes` must be"),
        (
            ("--strategy", "controller:threshold+placement"),
            "`strategy` controller:threshold+placement: threshold decides on more than rates",
        ),
        (("--scale", "--consumers", "3"), "`--consumers` must be left out with --scale (got 3)"),
        (("--bootstrap", "b1"), "`bootstrap` must be HOST:PORT"),
        (("--image", "a b"), "`--image` must be an image"),
        (("--module", "a;b"), "`--module` must be a module"),
        (("--secret", "My_Secret"), "`--secret` must be lowercase letters"),
        (("--namespace", "a.b"), "`--namespace` must be lowercase letters"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], message: str) -> None:
    status, out, err = said("orders", *GIVEN, *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"Error: {message}")
    assert err.count("\n") == 1


def test_a_wrong_name_and_a_file_that_exists(tmp_path: Path) -> None:
    assert "`name` must be lowercase letters, digits and -" in said("My.Group", *GIVEN)[2]
    file = tmp_path / "group.yaml"
    status, out, _ = said("orders", *GIVEN, "-o", str(file))
    assert (status, out) == (0, f"Wrote {file}. Next: kubectl apply -f {file}\n")
    text = file.read_text()
    assert said("orders", *GIVEN, "-o", str(file))[0] == 2
    assert file.read_text() == text
