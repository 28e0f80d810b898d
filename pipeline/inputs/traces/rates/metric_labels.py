"""Labels of a metric, and the partition that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pipeline.base.text.quoting import MOST, named

TOPIC = ("topic", "topic_name", "kafka_topic")
PARTITION = ("partition", "partition_id", "kafka_partition")

OF_REPLICAS = frozenset(
    {
        "address", "availability_zone", "az", "broker", "broker_host", "broker_id", "broker_name",
        "brokerid", "container", "container_name", "controller_revision_hash", "endpoint",
        "exported_instance", "exported_job", "exported_pod", "exporter", "host", "host_name",
        "hostname", "instance", "instance_id", "ip", "job", "kafka_broker", "kubernetes_node",
        "kubernetes_pod_name", "machine", "metrics_path", "node", "node_id", "node_ip",
        "node_name", "nodename", "pod", "pod_ip", "pod_name", "pod_template_hash", "prometheus",
        "prometheus_replica", "rack", "receive", "receive_replica", "replica", "rule_replica",
        "scrape_job", "server", "service", "statefulset_kubernetes_io_pod_name", "target",
        "thanos_replica", "uid", "zone",
    }
)  # fmt: skip
"""Labels that say where a series was measured: replicas of a partition differ in them. Marks
around them, as in ``__replica__``, do not matter."""

OF_GROUPS = frozenset(
    {
        "consumer_group", "consumer_group_id", "consumergroup", "consumergroupid", "group",
        "group_id", "group_name", "groupid",
    }
)  # fmt: skip
"""Labels that name the consumer group that a series is about."""

_METRIC = re.compile(r"([A-Za-z_:][\w:]*)?\s*\{(.*)\}", re.DOTALL)
_NAME = re.compile(
    r"_{0,2}(?:[A-Za-z]{1,24}|[A-Za-z0-9]{1,11})(?:_+(?:[A-Za-z]{1,24}|[A-Za-z0-9]{1,11}))*_{0,2}"
)
_LABEL = re.compile(r'\s*([A-Za-z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.DOTALL)


def parsed(text: str) -> tuple[str, dict[str, str]] | None:
    """Name and labels of ``name{label="value",…}``; None if the text has another form.

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
    values = {name.lower(): value for name, value in labels.items() if value}
    topic = next((values[name] for name in TOPIC if name in values), None)
    partition = next((values[name] for name in PARTITION if name in values), None)
    if partition is None:
        return None
    return partition if topic is None else f"{topic}/{partition}"


def group_label(labels: Iterable[str]) -> str | None:
    """The label that names a consumer group; None without one."""
    return next((label for label in labels if label.lower() in OF_GROUPS), None)


def is_of_replica(label: str) -> bool:
    """Whether a label says where a series was measured."""
    return label.lower().strip("_") in OF_REPLICAS


def phrase(label: str) -> str:
    """A label in a sentence, by its name if that can be quoted."""
    name = shown(label)
    return f"the label {name}" if name == repr(label) else f"a label with {name} as its name"


def shown(label: str) -> str:
    """Name of a label, quoted if it looks like one: words of letters, or short ones with digits."""
    return repr(label) if len(label) <= MOST and _NAME.fullmatch(label) else named(label)
