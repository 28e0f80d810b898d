"""gRPC: KEDA's interface for external scalers, on the decisions that HTTP answers with.

The service is assembled here from the messages' classes; external_scaler_pb2 has nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import grpc

from live.protocol import external_scaler_pb2 as messages
from live.scaler.asked_targets import AskedTargets, Refused
from live.scaler.listen_address import Address
from live.scaler.scaled_target import ScaledTarget
from pipeline.base.errors import InputError

METRIC = "replicas"

_SERVICE = "externalscaler.ExternalScaler"
_THREADS = 8
_MOST_STREAMS = 4
"""Streams at once: each keeps a thread, and the other calls need some."""

_MOST_BYTES = 2**16
_STATUS = {
    HTTPStatus.FORBIDDEN: grpc.StatusCode.PERMISSION_DENIED,
    HTTPStatus.NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    HTTPStatus.SERVICE_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
}


class ScalerService:
    """Answers as external_scaler.proto says.

    look_s: Time between two looks: streams notice a change within it.
    """

    def __init__(self, asked: AskedTargets, look_s: float) -> None:
        self._asked, self._look_s = asked, look_s
        self._streams = threading.BoundedSemaphore(_MOST_STREAMS)

    def is_active(self, ref: Any, context: Any) -> Any:
        """Whether the group needs a replica."""
        with _refusing(context):
            active = self._asked.is_active(self._found(ref))
        return messages.IsActiveResponse(result=active)

    def stream_is_active(self, ref: Any, context: Any) -> Iterator[Any]:
        """The same at once, and after each change until the client goes."""
        if not self._streams.acquire(blocking=False):
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"at most {_MOST_STREAMS} streams")
        try:
            yield from self._changes(ref, context)
        finally:
            self._streams.release()

    def _changes(self, ref: Any, context: Any) -> Iterator[Any]:
        gone = threading.Event()
        if not context.add_callback(gone.set):
            return
        sent = None
        while not gone.is_set():
            response = self.is_active(ref, context)
            if response != sent:
                yield response
                sent = response
            gone.wait(self._look_s)

    def get_metric_spec(self, ref: Any, context: Any) -> Any:
        """One metric with target 1: never an error, or KEDA has no autoscaler and no fallback."""
        spec = messages.MetricSpec(metricName=METRIC, targetSize=1, targetSizeFloat=1.0)
        return messages.GetMetricSpecResponse(metricSpecs=[spec])

    def get_metrics(self, request: Any, context: Any) -> Any:
        """The count."""
        with _refusing(context):
            if request.metricName != METRIC:
                said = f"the metric must be {METRIC} (got {request.metricName!r})"
                raise Refused(HTTPStatus.NOT_FOUND, said)
            count = self._asked.count(self._found(request.scaledObjectRef))
        value = messages.MetricValue(metricName=METRIC, metricValue=count, metricValueFloat=count)
        return messages.GetMetricsResponse(metricValues=[value])

    def _found(self, ref: Any) -> ScaledTarget:
        return self._asked.find(ref.namespace, ref.name, dict(ref.scalerMetadata))

    @property
    def handlers(self) -> Any:
        """Methods by name; `StreamMetricSpec` is none of them, which is UNIMPLEMENTED."""
        ref, request = messages.ScaledObjectRef, messages.GetMetricsRequest
        return grpc.method_handlers_generic_handler(
            _SERVICE,
            {
                "IsActive": _unary(self.is_active, ref),
                "GetMetricSpec": _unary(self.get_metric_spec, ref),
                "GetMetrics": _unary(self.get_metrics, request),
                "StreamIsActive": grpc.unary_stream_rpc_method_handler(
                    self.stream_is_active, ref.FromString, _written
                ),
            },
        )


def _unary(method: Callable[[Any, Any], Any], request: Any) -> Any:
    return grpc.unary_unary_rpc_method_handler(method, request.FromString, _written)


def _written(response: Any) -> bytes:
    content: bytes = response.SerializeToString()
    return content


@contextmanager
def _refusing(context: Any) -> Iterator[None]:
    """End a call with the reason of a refusal."""
    try:
        yield
    except Refused as refused:
        context.abort(_STATUS[refused.status], str(refused))


class ServiceServer:
    """Listens from the start. Raises InputError if the address cannot be listened on.

    credentials: Of a server with TLS; None: plaintext.
    """

    port: int
    """Where it listens; another than asked for if that was 0."""

    def __init__(self, service: ScalerService, at: Address, credentials: Any = None) -> None:
        limits = [
            # A second scaler on the port would get some of the questions.
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", _MOST_BYTES),
        ]
        self._server = grpc.server(ThreadPoolExecutor(_THREADS), options=limits)
        self._server.add_generic_rpc_handlers((service.handlers,))
        host = f"[{at.host}]" if ":" in at.host else at.host
        address = f"{host}:{at.port}"
        try:
            if credentials is None:
                self.port = self._server.add_insecure_port(address)
            else:
                self.port = self._server.add_secure_port(address, credentials)
        except RuntimeError:
            raise InputError(
                f"`--grpc-listen` cannot be listened on: {at.host}:{at.port}; choose another "
                "address"
            ) from None
        self.address = f"{host}:{self.port}"
        self._server.start()

    def close(self) -> None:
        """End all calls."""
        self._server.stop(None)
