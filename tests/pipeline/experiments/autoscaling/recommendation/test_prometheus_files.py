"""ScaledObject of a Prometheus trigger: its formula decides what the thresholds say."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.count_thresholds import thresholds
from pipeline.experiments.autoscaling.recommendation import going_live, prometheus_files
from pipeline.experiments.autoscaling.recommendation.consumer_settings import KAFKAS_DEFAULT
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.inputs.prometheus import write_rate
from tests.pipeline.experiments.autoscaling.recommendation.published_schemas import (
    Refused,
    check_scaled_object,
)

pytestmark = pytest.mark.unit

SETTINGS = {
    "mu": 120.0,
    "min_replicas": 1,
    "max_replicas": 12,
    "decision_s": 1.0,
    "step_s": 1.0,
    "assignor": "range",
}
TARGET = Target(
    "billing", "shop", topic="orders", prometheus="https://prometheus.monitoring.svc:9090/p"
)
SHARES = [n / 45.0 for n in range(1, 10)]


def one(text: str = "keda_prometheus:h=1.25:hold=120") -> Candidate:
    (parsed,) = candidates.parse(text, 9, 120.0, 0.5)
    return parsed


def scaled(
    text: str = "keda_prometheus:h=1.25:hold=120", target: Target = TARGET, **own: Any
) -> Any:
    settings = {**SETTINGS, **own}
    return prometheus_files.scaled_object(one(text), settings, target, KAFKAS_DEFAULT, SHARES, 6.2)


def evaluated(formula: str, m: float) -> int:
    """Value of ``m > 2.5 ? 3 : m > 1 ? 2 : 1``, as expr-lang evaluates it from left to right."""
    condition, is_conditional, rest = formula.partition(" ? ")
    if not is_conditional:
        return int(formula)
    name, _, bound = condition.partition(" > ")
    assert name == "m"
    chosen, _, other = rest.partition(" : ")
    return int(chosen) if m > float(bound) else evaluated(other, m)


@pytest.mark.parametrize("least", [1, 2, 5])
@pytest.mark.parametrize("assignor", ["range", "sticky", "kip848_uniform"])
@pytest.mark.parametrize("partitions", [1, 2, 9, 40])
def test_the_formula_is_the_table(partitions: int, assignor: str, least: int) -> None:
    rng = np.random.default_rng(partitions)
    table = thresholds(rng.uniform(0.2, 1.0, partitions), assignor, 97.3, 1.15, 12)
    formula = prometheus_files.formula(table, least)
    beside = [rate * factor for rate in table for factor in (1.0 - 1e-9, 1.0, 1.0 + 1e-9)]
    for m in (0.0, *beside, 1e9):
        assert evaluated(formula, m) == max(1 + int((m > table).sum()), least)


def test_a_formula_has_no_branch_that_is_never_taken() -> None:
    assert prometheus_files.formula(np.empty(0), 1) == "1"
    assert prometheus_files.formula(np.array([5e-7, 1e20, 1e20]), 1) == (
        "m > 100000000000000000000 ? 4 : m > 0.0000005 ? 2 : 1"
    )
    assert prometheus_files.formula(np.array([1.0, 2.0]), 3) == "3"


def test_counts_are_those_of_the_simulated_group() -> None:
    document = scaled()
    formula = document["spec"]["advanced"]["scalingModifiers"]["formula"]
    table = thresholds(np.array(SHARES), "range", 120.0, 1.25, 9)
    for m in np.linspace(0.0, 2.0 * table[-1], 301):
        assert evaluated(formula, m) == 1 + (m > table).sum()
    # More than there are partitions would idle.
    assert document["spec"]["maxReplicaCount"] == 9


def test_bursts_have_less_room() -> None:
    bursty = scaled(arrivals="burst", wsla_s=0.5)["spec"]["advanced"]["scalingModifiers"]
    table = thresholds(np.array(SHARES), "range", 120.0 * 0.5 - 0.5, 1.25, 9)
    assert evaluated(bursty["formula"], table[0] * 1.001) == 2
    assert evaluated(bursty["formula"], table[0] * 0.999) == 1


def test_an_outage_never_lowers_the_count() -> None:
    spec = scaled()["spec"]
    (trigger,) = spec["triggers"]
    assert trigger["metadata"]["ignoreNullValues"] == "false"
    assert spec["fallback"] == {
        "failureThreshold": 8,
        "replicas": 7,
        "behavior": "currentReplicasIfHigher",
    }
    assert spec["advanced"]["scalingModifiers"]["target"] == "1"


@pytest.mark.parametrize(
    ("exporter", "selector"),
    [
        ("kafka_exporter", 'kafka_topic_partition_current_offset{topic="orders"}'),
        ("kminion", 'kminion_kafka_topic_partition_high_water_mark{topic_name="orders"}'),
    ],
)
def test_the_query_is_of_this_topic(exporter: str, selector: str) -> None:
    (trigger,) = scaled(target=TARGET._replace(exporter=exporter))["spec"]["triggers"]
    now = write_rate.rate("orders", 9, exporter, 120.0, 30.0)
    assert selector in now
    assert trigger["metadata"]["query"] == write_rate.greatest(now, 120.0, 30.0)
    assert trigger["metadata"]["serverAddress"] == TARGET.prometheus


def test_window_of_the_pod_autoscaler_may_hold() -> None:
    spec = scaled("keda_prometheus:hold=0:scale_down=60s:tolerance_up=0")["spec"]
    rules = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    assert rules["scaleDown"]["stabilizationWindowSeconds"] == 60
    assert rules["scaleUp"]["tolerance"] == "0"
    assert "max_over_time" not in spec["triggers"][0]["metadata"]["query"]


@pytest.mark.parametrize("target", [TARGET, Target(), Target("b" * 54, "s" * 63, topic="t" * 249)])
def test_keda_accepts_it(target: Target) -> None:
    check_scaled_object(scaled(target=target))


BROKEN: dict[str, Callable[[Any], Any]] = {
    "no address": lambda s: s["triggers"][0]["metadata"].pop("serverAddress"),
    "no threshold": lambda s: s["triggers"][0]["metadata"].pop("threshold"),
    "a Boolean": lambda s: s["triggers"][0]["metadata"].update(ignoreNullValues=False),
    "a misspelt field": lambda s: s["triggers"][0]["metadata"].update(ignoreNullValue="false"),
    "no name": lambda s: s["triggers"][0].pop("name"),
    "no target": lambda s: s["advanced"]["scalingModifiers"].pop("target"),
    "a total": lambda s: s["advanced"]["scalingModifiers"].update(metricType="Value"),
    "another word": lambda s: s["advanced"]["scalingModifiers"].update(formula="n > 1 ? 2 : 1"),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN.keys())
def test_the_schema_refuses_what_keda_refuses(change: Callable[[Any], Any]) -> None:
    document = copy.deepcopy(scaled())
    change(document["spec"])
    with pytest.raises(Refused):
        check_scaled_object(document)


@pytest.mark.parametrize("target", [TARGET, Target()])
def test_the_readme_is_one_screen(target: Target) -> None:
    text = going_live.readme_of_query(one(), target)
    assert (target.prometheus or "http://prometheus-server") in text
    lines = text.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
