"""Retention that a cluster's policies have changed."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from live.kafka import topic_retention
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit


class Client:
    """An admin client that knows the settings of one topic."""

    def __init__(self, answer: dict[str, str] | Exception) -> None:
        self._answer = answer

    def describe_configs(self, resources: list[Any], request_timeout: float) -> dict[Any, Any]:
        future: Future[Any] = Future()
        if isinstance(self._answer, Exception):
            future.set_exception(self._answer)
        else:
            entries = {name: SimpleNamespace(value=v) for name, v in self._answer.items()}
            future.set_result(entries)
        return {resources[0]: future}


def check(answer: dict[str, str] | Exception, **values: str) -> None:
    client: Any = Client(answer)
    topic_retention.check(client, "gs.r.data", {k.replace("_", "."): v for k, v in values.items()})


def test_limits_that_were_asked_for_are_kept() -> None:
    check({"retention.ms": "-1", "retention.bytes": "-1", "segment.bytes": "7"})
    check({"retention.ms": "-1", "retention.bytes": "500"}, retention_bytes="500")
    check({"retention.ms": "-1", "retention.bytes": "-1"}, retention_bytes="500")
    check({"retention.bytes": "501"}, retention_bytes="500")


def test_shorter_ones_are_refused() -> None:
    with pytest.raises(InputError, match=r"`retention.ms` of topic gs.r.data must be -1.*set 60"):
        check({"retention.ms": "60000", "retention.bytes": "-1"})
    with pytest.raises(InputError, match=r"`retention.bytes` .* must be 500.*set 499\)"):
        check({"retention.bytes": "499"}, retention_bytes="500")


def test_a_user_who_may_not_read_settings_may_run() -> None:
    check(KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)))
