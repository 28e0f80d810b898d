"""A note on brokers that forget commits."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from live.scaler import offset_retention
from live.scaler.idle_settings import EARLIEST
from tests.live.kafka.test_topic_retention import Client
from tests.live.scaler.scaler_fakes import TARGET, look

pytestmark = pytest.mark.unit

KEY = offset_retention.KEY


def clients(answer: dict[str, str] | Exception) -> Any:
    return SimpleNamespace(admin=Client(answer), look=lambda: look(0, 7))


def noted(answer: dict[str, str] | Exception, looks: int = 3, **own: Any) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    target = replace(TARGET, **own)
    take = offset_retention.noting_looks(
        clients(answer), "shop/billing", target, lambda what, **values: lines.append(values)
    )
    for _ in range(looks):
        assert take() == look(0, 7)
    return lines


def test_one_line_where_commits_go_within_a_week() -> None:
    (line,) = noted({KEY: "1440"})
    assert line["group"] == "shop/billing"
    assert "after 1,440 minutes" in line["reason"]
    assert "skips what came before it" in line["reason"]
    (line,) = noted({KEY: "10079"}, offset_reset=EARLIEST)
    assert "reads all that is stored again" in line["reason"]


@pytest.mark.parametrize(
    "answer",
    [
        {KEY: "10080"},
        {"other": "1"},
        KafkaException(KafkaError(KafkaError.CLUSTER_AUTHORIZATION_FAILED)),
    ],
)
def test_none_where_they_stay_or_nothing_is_known(answer: dict[str, str] | Exception) -> None:
    assert noted(answer) == []
