"""Labels of a metric, and the partition that they name."""

from __future__ import annotations

import re
from collections.abc import Mapping

TOPIC = ("topic", "topic_name", "kafka_topic")
PARTITION = ("partition", "partition_id", "kafka_partition")

OF_REPLICAS = frozenset(
    {
        "broker", "broker_id", "container", "endpoint", "host", "hostname", "instance", "job",
        "node", "node_id", "pod", "prometheus", "prometheus_replica", "replica", "server",
    }
)  # fmt: skip
"""Labels that say where a series was measured: replicas of a partition differ in them."""

OF_CONSUMERS = ("consumergroup", "consumer_group", "client_id", "topic_partition")
"""Labels of exporters that say which consumers a series is about."""

_METRIC = re.compile(r"([A-Za-z_:][\w:]*)?\s*\{(.*)\}", re.DOTALL)
_LABEL = re.compile(r'\s*([A-Za-z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.DOTALL)
_DIGITS = re.compile(r"([0-9]+)")

_COUNTERS = re.compile(r"offset|high_?water|_total$|_count$|_sum$", re.IGNORECASE)
_RATES = re.compile(r"rate|per_?sec|:", re.IGNORECASE)
_LAG = re.compile(r"(?:^|_)lag(?:_|$)", re.IGNORECASE)


def parsed(text: str) -> tuple[str, dict[str, str]] | None:
    """Name and labels of ``name{label="value",…}``; None if the text has another form.

    Examples
    --------
    >>> parsed('rate{topic="orders", partition="3"}')
    ('rate', {'topic': 'orders', 'partition': '3'})
    """
    match = _METRIC.fullmatch(text.strip())
    if match is None:
        return None
    labels, rest = {}, match[2].strip()
    while rest:
        label = _LABEL.match(rest)
        if label is None:
            return None
        labels[label[1]] = re.sub(r"\\(.)", r"\1", label[2])
        rest = rest[label.end() :]
    return match[1] or "", labels


def partition_of(labels: Mapping[str, str]) -> str | None:
    """``topic/partition``, or the partition where no label names the topic; None without one."""
    topic = next((labels[name] for name in TOPIC if labels.get(name)), None)
    partition = next((labels[name] for name in PARTITION if labels.get(name)), None)
    if partition is None:
        return None
    return partition if topic is None else f"{topic}/{partition}"


def is_lag(metric: str) -> bool:
    """Whether a metric is a lag, from which no rate follows."""
    return _LAG.search(metric) is not None


def is_counter(metric: str) -> bool | None:
    """Whether a metric is a counter, by its name; None if its name does not say."""
    if _RATES.search(metric):
        return False
    return True if _COUNTERS.search(metric) else None


def natural(name: str) -> list[tuple[int, int | str]]:
    """Key that sorts names with numbers in them by these numbers: ``t/2`` before ``t/10``."""
    parts = _DIGITS.split(name)
    return [(0, int(part)) if place % 2 else (1, part) for place, part in enumerate(parts)]
