"""KEDA's own code asks `groupscale scaler`: counts, none, and the scaler's end and return."""

from __future__ import annotations

import json
import re
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.live.scaler.keda.asking_keda import (
    GRPC,
    HTTP,
    METRIC,
    PUSH,
    Keda,
    Read,
    Trigger,
    over_grpc,
    over_http,
)
from tests.live.scaler.keda.played_scaler import MU
from tests.live.scaler.keda.running_scaler import BLIND_S, LOOK_S, QUIET, RunningScaler
from tests.pipeline.experiments.autoscaling.recommendation.test_scaler_files import scaled

pytestmark = [pytest.mark.keda, pytest.mark.slow]

BOTH = pytest.mark.parametrize("kind", [HTTP, GRPC])
PATIENCE_S = 30.0


def opened(
    keda: Keda,
    scaler: RunningScaler,
    kind: str,
    name: str = "shop/billing",
    fallback: dict[str, Any] | None = None,
    **more: str,
) -> Trigger:
    """A trigger as `recommend` writes it."""
    url = f"http://{scaler.http}/v1/{name}"
    metadata = over_http(url, **more) if kind == HTTP else over_grpc(scaler.grpc, **more)
    return keda.open(kind, metadata, name=name, fallback=fallback)


def value_of(trigger: Trigger, value: float) -> Read:
    """The first answer with this value."""
    until = time.monotonic() + PATIENCE_S
    while (read := trigger.read()).error or read.value != value:
        assert time.monotonic() < until, read
        time.sleep(0.1)
    return read


@BOTH
def test_the_pod_autoscaler_gets_one_metric_with_target_1(
    keda: Keda, scaler: RunningScaler, kind: str
) -> None:
    specs = opened(keda, scaler, kind).specs()
    assert specs == Read([(METRIC[kind], "AverageValue", 1)], False, "")


def test_both_triggers_follow_the_count_with_the_same_values(
    keda: Keda, scaler: RunningScaler
) -> None:
    triggers = [opened(keda, scaler, kind) for kind in (HTTP, GRPC)]
    for count in (7, 2, 9, 3):
        scaler.needs(count)
        for trigger in triggers:
            assert value_of(trigger, count).is_active
        assert [trigger.read().value for trigger in triggers] == [count, count]


@pytest.mark.parametrize("form", ["keda_http:headroom", "keda_external:headroom"])
def test_the_trigger_that_is_written_to_be_deployed(
    keda: Keda, scaler: RunningScaler, form: str
) -> None:
    """But for the host, which is a Service of the cluster there."""
    (written,) = scaled(form)["triggers"]
    metadata = dict(written["metadata"])
    if written["type"] == HTTP:
        metadata["url"] = re.sub("//[^/]+", f"//{scaler.http}", metadata["url"])
    else:
        metadata["scalerAddress"] = scaler.grpc
    trigger = keda.open(written["type"], metadata)
    value_of(trigger, 3)
    assert trigger.specs().metrics == [(METRIC[written["type"]], written["metricType"], 1)]


def test_another_scaled_object_names_its_group(keda: Keda, scaler: RunningScaler) -> None:
    """By the path, and by `target`; metadata of the trigger may agree with the file."""
    http = keda.open(HTTP, over_http(f"http://{scaler.http}/v1/shop/billing"), name="shop/other")
    metadata = over_grpc(scaler.grpc, target="billing", topic="orders", mu=f"{MU}")
    grpc = keda.open(GRPC, metadata, name="shop/other")
    for trigger in (http, grpc):
        value_of(trigger, 3)


def test_a_blind_scaler_keeps_and_then_raises_the_count(keda: Keda, ending: RunningScaler) -> None:
    triggers = [opened(keda, ending, kind) for kind in (HTTP, GRPC)]
    for count in (8, 2):
        ending.needs(count)
        for trigger in triggers:
            value_of(trigger, count)
    ending.needs(2, "no broker answers")
    began_s = time.monotonic()
    assert [trigger.read().value for trigger in triggers] == [2, 2]
    for trigger in triggers:
        value_of(trigger, 8)
    assert time.monotonic() - began_s >= BLIND_S - 2 * LOOK_S
    ending.needs(2)
    for trigger in triggers:
        value_of(trigger, 2)


def test_over_http_an_unknown_count_is_a_path_and_a_status(
    keda: Keda, scaler: RunningScaler
) -> None:
    trigger = opened(keda, scaler, HTTP, "shop/quiet")
    said = "error requesting metrics endpoint: /v1/shop/quiet: api returned 503"
    assert trigger.read() == Read([], False, said)
    assert trigger.specs().error == ""
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"http://{scaler.http}/v1/shop/quiet", timeout=10)
    assert json.load(caught.value) == {"error": QUIET}
    with urllib.request.urlopen(f"http://{scaler.health}/metrics", timeout=10) as page:
        assert QUIET in page.read().decode()


def test_over_grpc_an_unknown_count_is_the_reason(keda: Keda, scaler: RunningScaler) -> None:
    trigger = opened(keda, scaler, GRPC, "shop/quiet")
    said = f"rpc error: code = Unavailable desc = {QUIET}"
    assert trigger.read() == Read([], False, said)
    assert trigger.specs().error == ""


@pytest.mark.parametrize(
    ("name", "status", "code", "said"),
    [
        ("shop/none", 404, "NotFound", "'none' is not in `scale` of the scaler's file"),
        ("else/billing", 403, "PermissionDenied", "namespace 'else' is not in `allow` of the sc"),
    ],
)
def test_names_that_are_not_in_the_file(
    keda: Keda, scaler: RunningScaler, name: str, status: int, code: str, said: str
) -> None:
    http, grpc = (opened(keda, scaler, kind, name) for kind in (HTTP, GRPC))
    assert http.read().error.endswith(f"/v1/{name}: api returned {status}")
    assert grpc.read().error.startswith(f"rpc error: code = {code} desc = {said}")
    assert (http.specs().error, grpc.specs().error) == ("", "")


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"topc": "orders"}, "metadata have the unknown key 'topc'; must be one of target, topic"),
        ({"mu": "99"}, "`mu` of the metadata must be 100000, as in the scaler's file (got '99')"),
    ],
)
def test_over_grpc_wrong_metadata_are_an_error_of_the_metric_alone(
    keda: Keda, scaler: RunningScaler, metadata: dict[str, str], said: str
) -> None:
    """With no specification KEDA would have no autoscaler, and no fallback."""
    trigger = opened(keda, scaler, GRPC, **metadata)
    assert trigger.specs().metrics == [(METRIC[GRPC], "AverageValue", 1)]
    assert trigger.read().error.startswith(f"rpc error: code = Unavailable desc = {said}")


def test_wrong_names_of_the_metric(keda: Keda, scaler: RunningScaler) -> None:
    said = "rpc error: code = NotFound desc = the metric must be replicas (got 'lag')"
    assert opened(keda, scaler, GRPC).read("s0-lag").error == said
    url = f"http://{scaler.http}/v1/shop/billing"
    read = keda.open(HTTP, {**over_http(url), "valueLocation": "count"}).read()
    assert 'valueLocation "count" must point to a numeric value' in read.error


def test_a_pushing_trigger_is_told_that_the_group_is_active(
    keda: Keda, scaler: RunningScaler
) -> None:
    """That it has no stream of specifications is no error for KEDA."""
    trigger = opened(keda, scaler, PUSH)
    assert trigger.pushed() == Read([], True, "")
    trigger.close()
    assert "StreamMetricSpec" not in keda.log


@BOTH
def test_a_scaler_is_killed_and_comes_back(keda: Keda, ending: RunningScaler, kind: str) -> None:
    trigger = opened(keda, ending, kind)
    ending.needs(6)
    value_of(trigger, 6)
    ending.kill()
    said = "connection refused" if kind == HTTP else "rpc error: code = Unavailable desc = "
    read = trigger.read()
    assert (read.metrics, said in read.error) == ([], True), read
    specs = trigger.specs()
    if kind == HTTP:
        # KEDA needs no answer for the target: its fallback starts.
        assert specs.metrics == [(METRIC[HTTP], "AverageValue", 1)]
    else:
        assert specs == Read([], False, "got empty metric spec")
    ending.start()
    value_of(trigger, 6)
    assert trigger.specs().error == ""


def test_a_scaler_that_reaches_no_broker(keda: Keda, tmp_path: Path) -> None:
    """The command itself."""
    groupscale = str(Path(sys.executable).with_name("groupscale"))
    own = RunningScaler(tmp_path, (groupscale,))
    try:
        http, grpc = (opened(keda, own, kind) for kind in (HTTP, GRPC))
        until = time.monotonic() + PATIENCE_S
        while "127.0.0.1:1" not in (said := grpc.read().error):
            assert time.monotonic() < until, said
            time.sleep(0.2)
        assert said.startswith("rpc error: code = Unavailable desc = ")
        assert http.read().error.endswith("/v1/shop/billing: api returned 503")
    finally:
        own.kill()
