"""Asks a run's scaler as KEDA's triggers ``metrics-api`` and ``external`` do."""

from __future__ import annotations

import http.client
import json
from abc import abstractmethod
from pathlib import Path
from typing import Any

from live.groups.keda_trigger import NoAnswer, Trigger
from live.strategy_kinds import EXTERNAL

NAMESPACE, NAME = "live", "run"
"""How the scaler's answers are called."""

HERE = "127.0.0.1"
"""Where it listens."""

CALL_S = 3.0
"""Time limit of a request, seconds; after an error KEDA asks once more."""


def port_file(folder: Path) -> Path:
    """File in which the scaler says where it listens."""
    return folder / "scaler.json"


class ScalerClient(Trigger):
    """Asks a scaler, which need not listen yet.

    folder: Folder of the run.
    look_s: Time between its looks: its first decision needs two.
    """

    kind = "scaler"

    def __init__(self, folder: Path, look_s: float) -> None:
        self._file, self.first_s = port_file(folder), look_s

    @property
    def is_ready(self) -> bool:
        """Whether the scaler has said where it listens."""
        return self._file.is_file()

    def ask(self) -> int:
        """The count. Raises NoAnswer if the second request fails too."""
        try:
            return self._asked()
        except NoAnswer:
            return self._asked()

    @abstractmethod
    def _asked(self) -> int:
        """The count, asked for once. Raises NoAnswer."""

    def _port(self) -> int:
        try:
            return int(json.loads(self._file.read_text(encoding="utf-8"))["port"])
        except FileNotFoundError:
            raise NoAnswer("the scaler does not listen yet") from None


class HttpClient(ScalerClient):
    """Asks over HTTP."""

    def _asked(self) -> int:
        port = self._port()
        try:
            connection = http.client.HTTPConnection(HERE, port, timeout=CALL_S)
            try:
                connection.request("GET", f"/v1/{NAMESPACE}/{NAME}")
                answer = connection.getresponse()
                content = json.loads(answer.read())
            finally:
                connection.close()
            if answer.status == http.client.OK:
                return int(content["replicas"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise NoAnswer(f"the scaler does not answer: {error}") from None
        raise NoAnswer(f"the scaler answers {answer.status}: {content.get('error')}")


class GrpcClient(ScalerClient):
    """Asks over gRPC as KEDA's external scaler does, over one connection.

    It asks for the metric that the scaler names, and then whether the group is active. A live group
    always has a member, so that activity changes nothing; failing to tell it does.
    """

    def __init__(self, folder: Path, look_s: float) -> None:
        super().__init__(folder, look_s)
        self._channel: Any = None

    def close(self) -> None:
        """Close the connection."""
        if self._channel is not None:
            self._channel.close()

    def _asked(self) -> int:
        import grpc

        if self._channel is None:
            self._channel = grpc.insecure_channel(f"{HERE}:{self._port()}")
        try:
            return _metric(self._channel)
        except grpc.RpcError as error:
            said = f"the scaler answers {error.code().name}: {error.details()}"
            raise NoAnswer(said) from None
        except ValueError:
            raise NoAnswer("the scaler must answer with one metric and one value") from None


def _metric(channel: Any) -> int:
    from live.protocol import external_scaler_pb2 as messages

    ref = messages.ScaledObjectRef(namespace=NAMESPACE, name=NAME)
    (spec,) = _call(channel, "GetMetricSpec", ref, messages.GetMetricSpecResponse).metricSpecs
    request = messages.GetMetricsRequest(scaledObjectRef=ref, metricName=spec.metricName)
    (value,) = _call(channel, "GetMetrics", request, messages.GetMetricsResponse).metricValues
    _call(channel, "IsActive", ref, messages.IsActiveResponse)
    return int(value.metricValueFloat)


def _call(channel: Any, method: str, request: Any, response: Any) -> Any:
    call = channel.unary_unary(
        f"/externalscaler.ExternalScaler/{method}",
        request_serializer=type(request).SerializeToString,
        response_deserializer=response.FromString,
    )
    return call(request, timeout=CALL_S)


def new_client(trigger: str, folder: Path, look_s: float) -> ScalerClient:
    """What asks as a trigger of `live.strategy_kinds.ASKED`."""
    return (GrpcClient if trigger == EXTERNAL else HttpClient)(folder, look_s)
