"""The 37 metrics of a cluster: the MBeans that each is read from, and how it is derived.

The paper names 37 and lists none of them. These are those of the simulated cluster
(`algorithms.learning.broker_model.METRICS`), so that agents trained on one see the other's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

COUNT, RATE, MEAN, LEVEL, CONSUMED = "count", "rate", "mean", "level", "consumed"
"""How a value of the time between two scrapes is derived: brokers that were read; increase of
counters per second and broker; sum of times over their number, all brokers together; level at the
later scrape per broker; records that the consumers have read per second and broker."""


class Read(NamedTuple):
    """Sum of an attribute over the MBeans that match; ``A*B`` is the product of two."""

    pattern: str
    attribute: str


class Quantity(NamedTuple):
    """What one or two metrics are made of."""

    name: str
    how: str
    reads: tuple[Read, ...]
    parts: tuple[str, ...]
    """Ends of the names of its metrics: ``_mean``, ``_p95``, or empty for the mean alone."""
    factor: float = 1.0
    """What the value is multiplied by."""


_KINDS: Final = {
    "produce": "Produce",
    "fetch_consumer": "FetchConsumer",
    "fetch_follower": "FetchFollower",
}
_BOTH, _ONE = ("_mean", "_p95"), ("",)


def _topics(name: str) -> Read:
    """A counter of all topics together."""
    return Read(f"kafka.server:type=BrokerTopicMetrics,name={name}", "Count")


def _requests(kind: str) -> Read:
    """Requests of a kind, of all versions of the protocol."""
    return Read(
        f"kafka.network:type=RequestMetrics,name=RequestsPerSec,request={kind},version=*", "Count"
    )


def _times(name: str, *kinds: str) -> tuple[Read, ...]:
    """Sum and number of times: a histogram's mean is that of all times since its start."""
    beans = [f"kafka.network:type=RequestMetrics,name={name},request={kind}" for kind in kinds]
    return tuple(Read(bean, what) for what in ("Mean*Count", "Count") for bean in beans)


def _purgatory(operation: str) -> Read:
    bean = "kafka.server:type=DelayedOperationPurgatory,name=PurgatorySize,delayedOperation="
    return Read(bean + operation, "Value")


def _of_kind(name: str, kind: str) -> Iterator[Quantity]:
    for what, bean, parts in (
        ("total_ms", "TotalTimeMs", _BOTH),
        ("request_queue_ms", "RequestQueueTimeMs", _BOTH),
        ("local_ms", "LocalTimeMs", _ONE),
        ("remote_ms", "RemoteTimeMs", _ONE),
    ):
        yield Quantity(f"{name}_{what}", MEAN, _times(bean, kind), parts)


QUANTITIES: Final = (
    Quantity("brokers", COUNT, (), _ONE),
    # Cores in use.
    Quantity("cpu", RATE, (Read("java.lang:type=OperatingSystem", "ProcessCpuTime"),), _BOTH, 1e-9),
    # With what brokers copy from each other.
    Quantity(
        "bytes_in", RATE, (_topics("BytesInPerSec"), _topics("ReplicationBytesInPerSec")), _BOTH
    ),
    Quantity(
        "bytes_out", RATE, (_topics("BytesOutPerSec"), _topics("ReplicationBytesOutPerSec")), _BOTH
    ),
    Quantity("messages_in", RATE, (_topics("MessagesInPerSec"),), _BOTH),
    # Kafka does not count them: derived from the consumers' count.
    Quantity("messages_out", CONSUMED, (), _BOTH),
    Quantity("response_queue_ms", MEAN, _times("ResponseQueueTimeMs", *_KINDS.values()), _BOTH),
    Quantity("produce_requests", RATE, (_requests("Produce"),), _BOTH),
    Quantity("requests", RATE, tuple(map(_requests, _KINDS.values())), _BOTH),
    Quantity("purgatory", LEVEL, (_purgatory("Produce"), _purgatory("Fetch")), _BOTH),
    *(each for name, kind in _KINDS.items() for each in _of_kind(name, kind)),
)
"""In the order of the metrics."""

NAMES: Final = tuple(f"{each.name}{part}" for each in QUANTITIES for part in each.parts)
"""The 37 metrics."""

READS: Final = tuple(dict.fromkeys(read for each in QUANTITIES for read in each.reads))
"""All that is read of a broker, once each."""
