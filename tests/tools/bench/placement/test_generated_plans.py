"""Kafka's own plans, made by its classes in a JVM."""

from __future__ import annotations

from collections import Counter

import pytest

from live.kafka import ivy_jars
from tools.bench.placement import generated_plans, scalings
from tools.layout import here
from tools.setup import kafka_jars

pytestmark = [pytest.mark.slow, pytest.mark.kafka]

NOT_HERE = (generated_plans.NoCompiler, kafka_jars.NotDownloaded, ivy_jars.NotDownloaded)


def test_kafka_plans_without_regard_to_what_is_there() -> None:
    before = scalings.striped(2, [1, 2, 3])
    try:
        with generated_plans.started(here()) as kafka:
            plans = [kafka.plan(scalings.PARTITION_NAMES, before, [1, 2, 3, 4]) for _ in range(5)]
    except NOT_HERE as error:
        pytest.skip(str(error))
    for plan in plans:
        assert [len(set(row)) for row in plan] == [2] * len(before)
        # By topic, each of 4 brokers has 8 of the 32 replicas.
        assert set(Counter(broker for row in plan for broker in row).values()) == {32}
        moved = sum(len({*row} - {*old}) for old, row in zip(before, plan, strict=True))
        assert moved > 32
    assert len(set(plans)) > 1
