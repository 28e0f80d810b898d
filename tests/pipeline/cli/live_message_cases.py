"""Wrong settings of live experiments, each with a name."""

from __future__ import annotations

from collections.abc import Sequence

EXPERIMENTS: dict[str, Sequence[str]] = {
    "brokers without a port": ("bootstrap=b1",),
    "a login without brokers": ("client_file=client.properties",),
    "a key of another family": ("deltas=5",),
    "too many partitions": ("partitions=201",),
    "one iteration": ("iterations=1",),
    "consumers slower than their load": ("capacity=300000",),
    "a consumer that does nothing": ("consumer_rate=0",),
    "records that take too long": ("record_bytes=20000",),
    "records without room for their head": ("record_bytes=100",),
    "an endless iteration": ("iteration_seconds=1e9",),
    "more than a day": ("iteration_seconds=3600", "iterations=100"),
    "two brokers": ("nodes=2",),
    "an unknown mode": ("mode=slow",),
    "unknown speeds": ("speeds=guessed",),
    "an unknown strategy": ("strategies=foo",),
    "a strategy twice": ("strategies=MWF,MWF",),
    "more consumers than partitions": ("strategies=kd_9",),
    "an event of an algorithm's group": ("group_events=crash@1s",),
    "an event that is simulated only": ("strategies=asking:linear", "group_events=limit:9"),
    "an event after the end": ("strategies=asking:linear", "group_events=crash@1h"),
    "a session shorter than a heartbeat": ("heartbeat_s=9", "session_s=8"),
    "more members than partitions": ("strategies=kafka_848_9",),
}
"""Settings of preset `live-smoke`."""
