"""What KEDA's own code makes of answers that the scaler never gives, and of slow ones.

The scaler's rules follow from these: an error is never a value, and a value never an error.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import pytest

from live.protocol import external_scaler_pb2 as messages
from live.scaler.answer_server import AnswerServer, Page
from live.scaler.asked_targets import AskedTargets
from live.scaler.scaler_service import METRIC, ScalerService, ServiceServer
from tests.live.scaler.keda.asking_keda import GRPC, HTTP, Keda, over_grpc, over_http
from tests.live.scaler.test_answer_server import HERE

pytestmark = [pytest.mark.keda, pytest.mark.slow]


@contextmanager
def serving(body: Callable[[], str]) -> Iterator[str]:
    """Address of a server that answers so."""

    def page(_: str) -> Page:
        return Page(HTTPStatus.OK, "application/json", body())

    with AnswerServer("--listen", HERE, page) as server:
        server.serve_in_thread()
        yield f"http://127.0.0.1:{server.server_port}/v1/shop/billing"
        server.shutdown()


class AnyService(ScalerService):
    """Answers with a value, after some seconds; counts calls."""

    def __init__(self, value: float, after_s: float = 0.0) -> None:
        super().__init__(AskedTargets({}, {}), 0.05)
        self.value, self.after_s = value, after_s
        self.calls: Counter[str] = Counter()

    def is_active(self, ref: Any, context: Any) -> Any:
        self.calls["IsActive"] += 1
        return messages.IsActiveResponse(result=True)

    def stream_is_active(self, ref: Any, context: Any) -> Iterator[Any]:
        self.calls["StreamIsActive"] += 1
        yield messages.IsActiveResponse(result=True)

    def get_metric_spec(self, ref: Any, context: Any) -> Any:
        self.calls["GetMetricSpec"] += 1
        return super().get_metric_spec(ref, context)

    def get_metrics(self, request: Any, context: Any) -> Any:
        self.calls["GetMetrics"] += 1
        time.sleep(self.after_s)
        value = messages.MetricValue(metricName=METRIC, metricValueFloat=self.value)
        return messages.GetMetricsResponse(metricValues=[value])


@contextmanager
def serviced(service: ScalerService) -> Iterator[str]:
    """Address of a server with this service."""
    server = ServiceServer(service, HERE)
    yield server.address
    server.close()


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e400", "-3"])
def test_over_http_what_is_no_count_becomes_0_without_an_error(keda: Keda, value: str) -> None:
    with serving(lambda: f'{{"replicas": {value}}}') as url:
        read = keda.open(HTTP, over_http(url)).read()
    assert (read.value, read.error) == (0, "")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -3.0])
def test_over_grpc_what_is_no_count_becomes_0_without_an_error(keda: Keda, value: float) -> None:
    with serviced(AnyService(value)) as address:
        read = keda.open(GRPC, over_grpc(address)).read()
    assert (read.value, read.error) == (0, "")


@pytest.mark.parametrize("body", ['{"replicas": null}', "{}", "", '{"replicas": "many"}'])
def test_over_http_no_value_is_an_error(keda: Keda, body: str) -> None:
    with serving(lambda: body) as url:
        read = keda.open(HTTP, over_http(url)).read()
    assert read.error.startswith("error requesting metrics endpoint: valueLocation")


@pytest.mark.parametrize(("value", "read"), [('"7"', 7), ("7.2", 7.2), ("2147483647", 2147483647)])
def test_over_http_a_count_may_be_a_text_or_have_a_fraction(
    keda: Keda, value: str, read: float
) -> None:
    with serving(lambda: f'{{"replicas": {value}}}') as url:
        assert keda.open(HTTP, over_http(url)).read().value == read


def test_over_http_an_answer_is_waited_for_3_s_twice(keda: Keda) -> None:
    asked, ended = [], threading.Event()

    def late() -> str:
        asked.append(time.monotonic())
        ended.wait(20)
        return '{"replicas": 7}'

    with serving(late) as url:
        began_s = time.monotonic()
        read = keda.open(HTTP, over_http(url)).read()
        passed_s = time.monotonic() - began_s
        ended.set()
    assert "exceeded" in read.error
    assert len(asked) == 2
    assert 6 <= passed_s < 12


def test_over_grpc_an_answer_is_waited_for(keda: Keda) -> None:
    with serviced(AnyService(7.0, after_s=7.0)) as address:
        assert keda.open(GRPC, over_grpc(address)).read().value == 7


def test_over_grpc_a_read_is_two_calls_and_no_stream(keda: Keda) -> None:
    service = AnyService(7.0)
    with serviced(service) as address:
        trigger = keda.open(GRPC, over_grpc(address))
        trigger.read()
        trigger.specs()
    assert service.calls == {"GetMetrics": 1, "IsActive": 1, "GetMetricSpec": 1}


def test_an_error_is_asked_again_at_once(keda: Keda) -> None:
    asked = []

    def broken() -> str:
        asked.append(time.monotonic())
        return "{}"

    with serving(broken) as url:
        assert keda.open(HTTP, over_http(url)).read().error
    first, second = asked
    assert second - first < 1
