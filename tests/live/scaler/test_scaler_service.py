"""gRPC on loopback, by the interface's own names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import grpc
import pytest

from live.protocol import external_scaler_pb2 as messages
from live.scaler.answer_server import Address
from live.scaler.asked_targets import AskedTargets, Refused
from live.scaler.scaler_service import METRIC, ScalerService, ServiceServer
from pipeline.base.errors import InputError
from tests.live.scaler.scaler_fakes import TARGET
from tests.live.scaler.test_answer_server import ALLOW
from tests.live.scaler.test_scaled_target import Group
from tools.layout import here

pytestmark = pytest.mark.unit

HERE = Address("127.0.0.1", 0)
LOOK_S = 0.05
REF = {"namespace": "shop", "name": "billing"}


class Keda:
    """Asks as KEDA's trigger does."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    def call(self, method: str, response: Any, request: Any) -> Any:
        call = self._channel.unary_unary(
            f"/externalscaler.ExternalScaler/{method}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=response.FromString,
        )
        return call(request, timeout=10)

    def metrics(self, metric: str = METRIC, **ref: Any) -> float:
        request = messages.GetMetricsRequest(
            scaledObjectRef=messages.ScaledObjectRef(**{**REF, **ref}), metricName=metric
        )
        (value,) = self.call("GetMetrics", messages.GetMetricsResponse, request).metricValues
        assert (value.metricName, value.metricValue) == (METRIC, value.metricValueFloat)
        return float(value.metricValueFloat)

    def is_active(self, **ref: Any) -> bool:
        asked = messages.ScaledObjectRef(**{**REF, **ref})
        return bool(self.call("IsActive", messages.IsActiveResponse, asked).result)

    def stream(self, method: str, response: Any) -> Any:
        call = self._channel.unary_stream(
            f"/externalscaler.ExternalScaler/{method}",
            request_serializer=messages.ScaledObjectRef.SerializeToString,
            response_deserializer=response.FromString,
        )
        return call(messages.ScaledObjectRef(**REF), timeout=10)


def refusal(ask: Callable[[], Any]) -> tuple[str, str]:
    with pytest.raises(grpc.RpcError) as caught:
        ask()
    error: Any = caught.value
    assert "\n" not in error.details()
    return error.code().name, error.details()


@pytest.fixture
def group() -> Group:
    return Group()


@pytest.fixture
def keda(group: Group, request: pytest.FixtureRequest) -> Iterator[Keda]:
    asked = AskedTargets({"shop/billing": group.target}, ALLOW, getattr(request, "param", False))
    server = ServiceServer(ScalerService(asked, LOOK_S), HERE)
    with grpc.insecure_channel(server.address) as channel:
        yield Keda(channel)
    server.close()


def test_the_messages_are_those_of_the_interface() -> None:
    """`.proto` and compiled file say the same; docs/architecture.md has the command."""
    file = here().root / "live" / "protocol" / "external_scaler.proto"
    text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
    written = {
        name: re.findall(r"([\w<>, ]+?) (\w+) = (\d+);", body)
        for name, body in re.findall(r"message (\w+) \{(.*?)\}", text, re.DOTALL)
    }
    compiled = messages.DESCRIPTOR.message_types_by_name
    assert set(written) == set(compiled)
    for name, fields in written.items():
        own = {each.name: each for each in compiled[name].fields}
        assert {field: int(number) for _, field, number in fields} == {
            field: each.number for field, each in own.items()
        }
        for kind, field, _ in fields:
            assert _kind(own[field]) == kind.strip()
    calls = re.findall(r"rpc (\w+)\((\w+)\) returns \((stream )?(\w+)\)", text)
    service = messages.DESCRIPTOR.services_by_name["ExternalScaler"]
    assert len(calls) == 5
    assert sorted((name, asked, answer) for name, asked, _, answer in calls) == sorted(
        (each.name, each.input_type.name, each.output_type.name) for each in service.methods
    )
    assert {name for name, _, stream, _ in calls if stream} == {
        each.name for each in service.methods if each.server_streaming
    }


def _kind(field: Any) -> str:
    scalars = {1: "double", 3: "int64", 8: "bool", 9: "string"}
    if field.type in scalars:
        return scalars[field.type]
    if field.message_type.GetOptions().map_entry:
        inner = ", ".join(scalars[each.type] for each in field.message_type.fields)
        return f"map<{inner}>"
    return f"{'repeated ' * field.is_repeated}{field.message_type.name}"


def test_the_count_or_unavailable_with_the_reason(group: Group, keda: Keda) -> None:
    group.fault = "no permission to describe group 'billing'"
    group.pass_(0.0)
    assert refusal(keda.metrics) == ("UNAVAILABLE", group.fault)
    group.fault = ""
    group.pass_(540.0, 2)
    assert keda.metrics() == 6
    group.fault = "no broker answers"
    group.pass_(0.0)
    assert keda.metrics() == 6
    assert group.target.tally.answers == {503: 1, 200: 2}


def test_the_target_is_1_whatever_is_asked(keda: Keda) -> None:
    for ref in (REF, {"namespace": "other", "name": "x", "scalerMetadata": {"wrong": "1"}}):
        asked = messages.ScaledObjectRef(**ref)
        (spec,) = keda.call("GetMetricSpec", messages.GetMetricSpecResponse, asked).metricSpecs
        assert (spec.metricName, spec.targetSize, spec.targetSizeFloat) == (METRIC, 1, 1.0)


@pytest.mark.parametrize(
    ("ref", "code", "said"),
    [
        ({"namespace": "other"}, "PERMISSION_DENIED", "'other' is not in `allow`"),
        ({"name": "orders"}, "NOT_FOUND", "'orders' is not in `scale`"),
        ({"scalerMetadata": {"target": "x"}}, "NOT_FOUND", "'x' is not in `scale`"),
        ({"scalerMetadata": {"topc": "x"}}, "UNAVAILABLE", "unknown key 'topc'; must be one of"),
        ({"scalerMetadata": {"group": "x"}}, "UNAVAILABLE", "`group` of the metadata must be b"),
        ({"scalerMetadata": {"mu": "99"}}, "UNAVAILABLE", "must be 100, as in the scaler's file"),
        ({"metric": "lag"}, "NOT_FOUND", "the metric must be replicas (got 'lag')"),
    ],
)
def test_anything_else_is_refused_in_one_line(
    group: Group, keda: Keda, ref: dict[str, Any], code: str, said: str
) -> None:
    group.pass_(180.0, 2)
    got, details = refusal(lambda: keda.metrics(**ref))
    assert (got, said in details) == (code, True), details
    if "metric" not in ref:
        assert refusal(lambda: keda.is_active(**ref)) == (got, details)


def test_metadata_choose_a_group_and_may_agree_with_the_file(group: Group, keda: Keda) -> None:
    group.pass_(180.0, 2)
    metadata = {"scalerAddress": "scaler:6001", "target": "billing", "topic": "orders", "mu": "100"}
    assert keda.metrics(name="another-scaled-object", scalerMetadata=metadata) == 2


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"topics": "orders, bills"}, ""),
        ({"topics": "bills,orders"}, ""),
        ({"topics": "bills"}, "`topics` of the metadata must be bills,orders, as in the scaler's"),
        ({"topic": "orders"}, "`topic` of the metadata must be bills,orders, as in the scaler's"),
    ],
)
def test_metadata_may_list_the_topics(metadata: dict[str, str], said: str) -> None:
    own = Group(replace(TARGET, topics=("bills", "orders"))).target
    asked = AskedTargets({"shop/billing": own}, {"shop": {}})
    if not said:
        assert asked.find("shop", "billing", metadata) is own
        return
    with pytest.raises(Refused, match=re.escape(said)):
        asked.find("shop", "billing", metadata)


def test_a_group_is_active_also_while_nothing_is_known(group: Group, keda: Keda) -> None:
    assert keda.is_active()
    group.pass_(180.0, 2)
    assert keda.is_active()


def test_a_stream_says_at_once_whether_a_group_is_active(keda: Keda) -> None:
    stream = keda.stream("StreamIsActive", messages.IsActiveResponse)
    assert next(stream).result
    stream.cancel()


def test_streams_leave_threads_for_other_calls(group: Group, keda: Keda) -> None:
    group.pass_(180.0, 2)
    streams = [keda.stream("StreamIsActive", messages.IsActiveResponse) for _ in range(4)]
    assert all(next(stream).result for stream in streams)
    one_more = keda.stream("StreamIsActive", messages.IsActiveResponse)
    assert refusal(lambda: next(one_more)) == ("RESOURCE_EXHAUSTED", "at most 4 streams")
    assert keda.metrics() == 2
    for stream in streams:
        stream.cancel()


def test_specs_are_not_streamed(keda: Keda) -> None:
    stream = keda.stream("StreamMetricSpec", messages.GetMetricSpecResponse)
    assert refusal(lambda: next(stream))[0] == "UNIMPLEMENTED"


@pytest.mark.parametrize("keda", [True], indirect=True)
def test_a_shadow_never_sends_a_count(group: Group, keda: Keda) -> None:
    group.pass_(540.0, 2)
    code, said = refusal(keda.metrics)
    assert (code, said) == (
        "UNAVAILABLE",
        "the scaler runs with --shadow and sends no count (it would be 6)",
    )
    assert refusal(keda.is_active)[0] == "UNAVAILABLE"
    assert (group.lines[-1]["replicas"], group.target.tally.decision_count) == (6, 1)


def test_an_address_in_use_is_refused(keda: Keda, group: Group) -> None:
    service = ScalerService(AskedTargets({}, {}), LOOK_S)
    first = ServiceServer(service, HERE)
    with pytest.raises(InputError, match="`--grpc-listen` cannot be listened on"):
        ServiceServer(service, Address("127.0.0.1", first.port))
    first.close()
