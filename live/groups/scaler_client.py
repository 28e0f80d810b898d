"""Asks a run's scaler as KEDA's triggers ``metrics-api`` and ``external`` do."""

from __future__ import annotations

import http.client
import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from live.strategy_kinds import EXTERNAL

NAMESPACE, NAME = "live", "run"
"""How the scaler's answers are called."""

HERE = "127.0.0.1"
"""Where it listens."""

CALL_S = 3.0
"""Time limit of a request, seconds; after an error KEDA asks once more."""


class NoAnswer(Exception):
    """The scaler has not given a count; the text says why."""


def port_file(folder: Path) -> Path:
    """File in which the scaler says where it listens."""
    return folder / "scaler.json"


class ScalerClient(ABC):
    """Asks a scaler, which need not listen yet.

    folder: Folder of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._file = port_file(folder)

    @property
    def is_listening(self) -> bool:
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
    """Asks over gRPC for the metric that the scaler names.

    A live group always has a member, so that nothing depends on ``IsActive``.
    """

    def _asked(self) -> int:
        import grpc

        with grpc.insecure_channel(f"{HERE}:{self._port()}") as channel:
            try:
                return _metric(channel)
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
    return int(value.metricValueFloat)


def _call(channel: Any, method: str, request: Any, response: Any) -> Any:
    call = channel.unary_unary(
        f"/externalscaler.ExternalScaler/{method}",
        request_serializer=type(request).SerializeToString,
        response_deserializer=response.FromString,
    )
    return call(request, timeout=CALL_S)


def new_client(trigger: str, folder: Path) -> ScalerClient:
    """What asks as a trigger of `live.strategy_kinds.ASKED`."""
    return GrpcClient(folder) if trigger == EXTERNAL else HttpClient(folder)
