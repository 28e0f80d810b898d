"""Settings that the paper on assignment ran with, and how its recorded stream is recognised."""

from __future__ import annotations

from collections.abc import Mapping

RECORDED_DIGEST = "477a85ba03979ff98167baac398f09039cfdb00f6faa1e1fbd532031d8ba370a"
"""Digest, as in table `streams`, of the recorded stream that Section VI-C was made from.

It is that of ``src/controller/test/monitor_sequence/measurements_5`` in
github.com/landaudiogo/kafka-consumer-group-autoscaler at commit c58cb5c.
"""

DELTAS = (5.0, 10.0, 15.0, 20.0, 25.0)
"""δ values that the statements of Section VI-E are made for."""

TRADEOFF_SETTING: Mapping[str, object] = {
    "partitions": 200,
    "iterations": 500,
    "capacity": 100.0,
    "clip": True,
}
"""Streams of Section VI-E; the number of partitions is not printed, 200 fits the results."""


def is_tradeoff(setting: Mapping[str, object]) -> bool:
    """Whether an experiment has the streams of Section VI-E, all with a uniform start."""
    starts = setting.get("initial_rates")
    uniform = isinstance(starts, list | tuple) and [str(s) for s in starts] == ["uniform"]
    return uniform and all(setting.get(key) == value for key, value in TRADEOFF_SETTING.items())


LATENCY_SETTING: Mapping[str, object] = {
    "partitions": 32,
    "iterations": 100,
    "capacity": 100.0,
    "consumer_capacity": 133.0,
    "iteration_seconds": 30.0,
    "rebalance_seconds": 5.0,
    "clip": True,
}
"""Streams like the recorded one of Section VI-C."""

LATENCY_DELTA = 5.0
