"""Sizes of a topic's logs, as their leaders report them (DescribeLogDirs).

It uses kafka-python: librdkafka does not know the request.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import suppress
from typing import Any, TypeVar

from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from live.speeds.speed_windows import LogSize

T = TypeVar("T")

REQUEST_SECONDS = 5.0
"""Time limit of one request."""

CONNECT_SECONDS = 30.0
"""Time limit of the first connection: a client that fails to connect leaves a thread behind."""


class LogSizes:
    """Reads the sizes of one topic's logs; a broker that is away gives none.

    bootstrap: Addresses of the brokers, ``host:port,…``.
    security: Settings of kafka-python for TLS and SASL.
    """

    def __init__(
        self, bootstrap: str, topic: str, security: Mapping[str, object] | None = None
    ) -> None:
        self._bootstrap = bootstrap.split(",")
        self._topic = topic
        self._security = dict(security or {})
        self._client: Any = None
        self._running: Future[dict[int, LogSize]] | None = None

    def read(self, seconds: float) -> dict[int, LogSize]:
        """Sizes by partition, of those partitions whose leader answers in time.

        A call that takes longer goes on; the next call of this method waits for it.
        """
        if self._running is None:
            self._running = aside(self._measure)
        try:
            sizes = self._running.result(seconds)
        except OutOfTime:
            return {}
        except (KafkaError, OSError):
            sizes = {}
        self._running = None
        return sizes

    def close(self) -> None:
        """Close the connections, unless a call hangs."""
        if self._client is not None and self._running is None:
            with suppress(KafkaError, OSError):
                self._client.close()

    def _measure(self) -> dict[int, LogSize]:
        if self._client is None:
            self._client = connected(self._bootstrap, self._security)
        (topic,) = self._client.describe_topics([self._topic])
        leaders = {each["partition_index"]: each["leader_id"] for each in topic["partitions"]}
        sizes: dict[int, LogSize] = {}
        for node in sorted(set(leaders.values()) - {-1}):
            own = [partition for partition, leader in leaders.items() if leader == node]
            with suppress(KafkaError):
                sizes |= self._of_node(node, own)
        return sizes

    def _of_node(self, node: int, partitions: list[int]) -> dict[int, LogSize]:
        """Sizes on one node, at the middle of the time that it took to answer."""
        before = time.monotonic()
        (answer,) = self._client.describe_log_dirs({self._topic: partitions}, brokers=[node])
        at_s = (before + time.monotonic()) / 2
        return {
            each["partition_index"]: LogSize(at_s, node, each["partition_size"])
            for folder in answer["log_dirs"]
            for topic in folder["topics"]
            for each in topic["partitions"]
            # A replica that moves to another disk has a second log meanwhile.
            if not each["is_future_key"]
        }


def connected(bootstrap: Sequence[str], security: Mapping[str, object]) -> Any:
    """A client of kafka-python. Raises ConnectionError or its KafkaError if no broker answers."""
    if not any(map(_listens, bootstrap)):
        raise ConnectionError("no broker listens")
    return KafkaAdminClient(
        bootstrap_servers=list(bootstrap),
        bootstrap_timeout_ms=int(CONNECT_SECONDS * 1000),
        request_timeout_ms=int(REQUEST_SECONDS * 1000),
        reconnect_backoff_max_ms=500,
        # Finds brokers that are new or back.
        metadata_max_age_ms=5000,
        **security,
    )


def _listens(address: str) -> bool:
    host, _, port = address.strip().rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), REQUEST_SECONDS):
            return True
    except (OSError, ValueError):
        return False


def aside(work: Callable[[], T]) -> Future[T]:
    """Call a function in a thread that does not keep this process from ending."""
    done: Future[T] = Future()

    def call() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=call, name="log-sizes", daemon=True).start()
    return done
