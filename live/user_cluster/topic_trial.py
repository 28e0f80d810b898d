"""What a user's cluster would make of a run's topic, asked without creating it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka import errors

from live.kafka import topic_retention
from live.kafka.topic_settings import new_topic
from live.live_settings import LiveSettings
from live.login.client_properties import ClientProperties
from live.user_cluster import user_cluster
from pipeline.base.errors import InputError


def check(settings: LiveSettings, properties: ClientProperties) -> None:
    """Check that a cluster would create the data topic of a run, and keep its records; only asks.

    Raises InputError if no broker answers, the cluster would refuse the topic, or its policies
        would let records go before the run has processed them.
    """
    bootstrap, topic = settings.bootstrap, new_topic(settings, "data", None)
    configs = dict(topic.config or {})
    asked = {
        "num_partitions": topic.num_partitions,
        "replication_factor": topic.replication_factor,
        "configs": configs,
    }
    with user_cluster.admin(bootstrap, properties, "say whether it would create a topic") as client:
        answer = client.create_topics({topic.topic: asked}, validate_only=True, raise_errors=False)
    (row,) = answer["topics"]
    if row["error_code"]:
        raise InputError(
            f"{bootstrap} would not create topic {topic.topic} ({_reason(row)}); give the user the "
            "rights of docs/live.md, or run without --bootstrap"
        )
    topic_retention.compare(topic.topic, _values(row.get("configs") or {}), configs)


def _reason(row: Mapping[str, Any]) -> str:
    return str(row.get("error_message") or errors.for_code(row["error_code"]).__name__)


def _values(configs: Mapping[str, Any]) -> dict[str, str]:
    stated = {name: config["value"] for name, config in configs.items()}
    return {name: str(value) for name, value in stated.items() if value is not None}
