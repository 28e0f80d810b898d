"""Kubernetes' own pod autoscaler obeys the scaler through KEDA's code, as the simulated one does.

Its API and the Deployment are in memory. Seconds are scaled: a sync every 2 s in place of 15.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from algorithms.autoscaling.blind_answers import FAILURE_THRESHOLD, POLLING_S
from algorithms.autoscaling.hpa import SCALE_UP, Behaviour, HorizontalPodAutoscaler
from algorithms.autoscaling.scaling_policies import AT_ONCE
from live.groups.keda_player import KedaPlayer
from pipeline.experiments.autoscaling.recommendation import scaler_files
from pipeline.experiments.autoscaling.recommendation.consumer_settings import KAFKAS_DEFAULT
from tests.live.scaler.keda.asking_keda import GRPC, HTTP, Keda, Trigger
from tests.live.scaler.keda.running_scaler import QUIET, RunningScaler
from tests.live.scaler.keda.test_counts_in_keda import PATIENCE_S, value_of
from tests.pipeline.experiments.autoscaling.recommendation.test_scaler_files import (
    SETTINGS,
    TARGET,
    one,
)

pytestmark = [pytest.mark.keda, pytest.mark.slow]

SYNC_S, REAL_SYNC_S = 2, 15
POLL_S = POLLING_S * SYNC_S / REAL_SYNC_S
LATE_S = 1.5
"""What a sync may take, on a loaded machine."""

PARTITIONS = 30
SERIES = (3, 4, 9, 10, 11, 20, 22, 5)
"""Counts of the scaler; the Deployment begins with one replica."""

SWALLOWED = (3, 4, 9, 10, 10, 20, 20, 5)
"""The same where a step within the tolerance is swallowed: 10 to 11, and 20 to 22 (1.1 exactly)."""

SYNCS = 2
FORMS = {HTTP: "keda_http:headroom", GRPC: "keda_external:headroom"}
EXACT = ":tolerance_up=0:tolerance_down=0"

LIMIT = SCALE_UP._replace(
    policies=tuple(each._replace(period_s=REAL_SYNC_S / SYNC_S) for each in SCALE_UP.policies)
)
"""Kubernetes' own, with periods of 1 s here: a period that is a sync would end just before it, or
just after."""

Deploys = Callable[..., Trigger]


@pytest.fixture(scope="module")
def scaler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningScaler]:
    own = RunningScaler(tmp_path_factory.mktemp("scaler"), partitions=PARTITIONS)
    yield own
    own.kill()


@pytest.fixture
def deploys(keda: Keda) -> Iterator[Deploys]:
    """Deploys what `recommend` writes; pod autoscalers end with the test."""
    every: list[Trigger] = []

    def deploy(
        asked: RunningScaler, kind: str, replicas: int, more: str = "", **own: Any
    ) -> Trigger:
        manifest = written(FORMS[kind] + more)
        manifest["spec"].update(own)
        (trigger,) = manifest["spec"]["triggers"]
        metadata = dict(trigger["metadata"])
        if kind == HTTP:
            metadata["url"] = re.sub("//[^/]+", f"//{asked.http}", metadata["url"])
        else:
            metadata["scalerAddress"] = asked.grpc
        every.append(keda.open(kind, metadata))
        every[-1].scale(manifest, replicas, SYNC_S, POLL_S)
        return every[-1]

    yield deploy
    for trigger in every:
        trigger.unscale()
        trigger.close()


def written(form: str) -> Any:
    """The ScaledObject, with periods of the scaled seconds."""
    settings = {**SETTINGS, "max_replicas": PARTITIONS}
    target = TARGET._replace(recorded=(("orders", PARTITIONS),))
    chosen = one(form)
    manifest = scaler_files.scaled_object(
        chosen, settings, target, KAFKAS_DEFAULT, PARTITIONS, peak=6.2
    )
    rules = manifest["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    for direction in rules.values():
        for policy in direction["policies"]:
            assert policy["periodSeconds"] == REAL_SYNC_S
            policy["periodSeconds"] = SYNC_S
    return manifest


def simulated(reads: list[Any], tolerance: float, up: Behaviour) -> list[int]:
    """Replicas after each read, as simulations have them for the same answers at the same times."""
    pods = HorizontalPodAutoscaler(
        1, PARTITIONS, 1.0, tolerance, tolerance, scale_up=up, scale_down=AT_ONCE
    )
    keda = KedaPlayer(pods, 1)
    return [
        keda.sync(each["at_s"] * REAL_SYNC_S / SYNC_S, each["value"], each["replicas"]).members
        for each in reads
    ]


def obeyed(trigger: Trigger, count: int, within_s: float = SYNC_S) -> None:
    """Wait until the Deployment has this count: at most one period, by default."""
    until = time.monotonic() + within_s + LATE_S
    while (shown := trigger.scaled())["replicas"] != count:
        assert time.monotonic() < until, shown
        time.sleep(0.05)


def test_replicas_are_those_of_the_simulated_pod_autoscaler(
    scaler: RunningScaler, deploys: Deploys
) -> None:
    """Behind both forms, with Kubernetes' tolerance, and with its own limit upwards."""
    scaler.needs(1)
    cases = [
        (deploys(scaler, HTTP, 1, EXACT), 0.0, AT_ONCE, SERIES),
        (deploys(scaler, GRPC, 1, EXACT), 0.0, AT_ONCE, SERIES),
        (deploys(scaler, HTTP, 1), 0.1, AT_ONCE, SWALLOWED),
        (deploys(scaler, HTTP, 1, advanced=limited()), 0.0, LIMIT, SERIES),
    ]
    for trigger, *_ in cases:
        value_of(trigger, 1)
    ends: list[list[int]] = [[] for _ in cases]
    for count in SERIES:
        scaler.needs(count)
        for trigger, *_ in cases:
            value_of(trigger, count)
        time.sleep(SYNCS * SYNC_S + LATE_S)
        for (trigger, *_), each in zip(cases, ends, strict=True):
            each.append(trigger.scaled()["replicas"])
    for (trigger, tolerance, up, last), each in zip(cases, ends, strict=True):
        assert each == list(last)
        reads = trigger.scaled()["reads"]
        after = [read["replicas"] for read in reads[1:]]
        assert after == simulated(reads[:-1], tolerance, up)
        assert set(last) <= set(after)
    # Kubernetes' own limit: four more, or twice as many.
    assert 9 not in {after for before, after in pairs(cases[-1][0]) if before == 4}


def pairs(trigger: Trigger) -> list[tuple[int, int]]:
    """Replicas before and after each sync."""
    replicas = [read["replicas"] for read in trigger.scaled()["reads"]]
    return list(pairwise(replicas))


def limited() -> Any:
    """As it is written, but for Kubernetes' own limit upwards."""
    advanced = written(FORMS[HTTP] + EXACT)["spec"]["advanced"]
    own = [{"type": each.type, "value": int(each.value)} for each in LIMIT.policies]
    up = advanced["horizontalPodAutoscalerConfig"]["behavior"]["scaleUp"]
    up["policies"] = [{**each, "periodSeconds": 1} for each in own]
    return advanced


@pytest.mark.parametrize("kind", [HTTP, GRPC])
def test_a_group_without_a_count_is_held_and_then_raised(
    scaler: RunningScaler, keda: Keda, kind: str
) -> None:
    """The pod autoscaler says that it has no metric, and never why."""
    manifest = written(FORMS[kind])
    raised = manifest["spec"]["fallback"]["replicas"]
    metadata = (
        {**_asked(manifest), "url": f"http://{scaler.http}/v1/shop/quiet"}
        if kind == HTTP
        else {"scalerAddress": scaler.grpc, "target": "quiet"}
    )
    trigger = keda.open(kind, metadata)
    trigger.scale(manifest, raised - 2, SYNC_S, POLL_S)
    obeyed(trigger, raised, _latest_s() + SYNC_S)
    shown = trigger.scaled()
    (change,) = shown["changes"]
    # Each read and each poll is a failure; at best the first poll is at the first read.
    assert change["at_s"] >= _latest_s() - SYNC_S - LATE_S
    failed = [note for note in shown["notes"] if note.startswith("FailedGetExternalMetric")]
    assert failed
    assert (QUIET in failed[0]) == (kind == GRPC)
    trigger.unscale()
    trigger.close()


def test_a_killed_scaler_over_http_raises_a_small_group_alone(
    keda: Keda, ending: RunningScaler, deploys: Deploys
) -> None:
    raised = written(FORMS[HTTP])["spec"]["fallback"]["replicas"]
    small = deploys(ending, HTTP, 3)
    large = deploys(ending, HTTP, 3, fallback=_lower(2))
    for trigger in (small, large):
        value_of(trigger, 3)
    ending.kill()
    obeyed(small, raised, _latest_s() + SYNC_S)
    assert small.scaled()["failures"] > FAILURE_THRESHOLD
    time.sleep(SYNC_S + LATE_S)
    assert large.scaled()["changes"] == []
    ending.start()
    value_of(small, 3)
    obeyed(small, 3)
    ending.needs(5)
    for trigger in (small, large):
        value_of(trigger, 5)
        obeyed(trigger, 5)


def test_a_killed_scaler_over_grpc_leaves_the_group_as_it_is(
    ending: RunningScaler, deploys: Deploys
) -> None:
    held = deploys(ending, GRPC, 3)
    value_of(held, 3)
    ending.kill()
    time.sleep(_latest_s() + 2 * SYNC_S)
    shown = held.scaled()
    assert (shown["changes"], shown["failures"]) == ([], 0)
    assert (shown["active"], shown["reason"]) == ("False", "FailedGetExternalMetric")
    ending.start()
    ending.needs(4)
    value_of(held, 4)
    obeyed(held, 4)


def test_a_blind_scaler_keeps_and_then_raises_the_group(
    ending: RunningScaler, deploys: Deploys
) -> None:
    group = deploys(ending, HTTP, 1)
    for count in (8, 2):
        ending.needs(count)
        value_of(group, count)
        obeyed(group, count)
    ending.needs(2, "no broker answers")
    obeyed(group, 8, PATIENCE_S)
    ending.needs(2)
    value_of(group, 2)
    obeyed(group, 2)


def _latest_s() -> float:
    """Until failure number threshold + 1, each read and each poll being one."""
    return (FAILURE_THRESHOLD + 1) / (1 / SYNC_S + 1 / POLL_S)


def _lower(replicas: int) -> dict[str, Any]:
    """A fallback below the present count."""
    return {**written(FORMS[HTTP])["spec"]["fallback"], "replicas": replicas}


def _asked(manifest: Any) -> dict[str, str]:
    return dict(manifest["spec"]["triggers"][0]["metadata"])
