"""The kinds of plans that our controller carries out."""

from __future__ import annotations

from collections.abc import Collection

from algorithms.placement import round_robin
from live.brokers.controlled_cluster import Admin
from live.brokers.elastic_choices import LEAST, TURNS
from live.user_cluster import broker_plan
from live.user_cluster.broker_plan import BrokerPlan
from live.user_cluster.cluster_placement import ClusterPlacement


def plan(
    planner: str,
    admin: Admin,
    placement: ClusterPlacement,
    added: Collection[int],
    removed: Collection[int],
) -> BrokerPlan:
    """Plan moves of all topics together.

    planner: One of `live.brokers.elastic_choices.PLANS`. `turns` takes partitions by topic and
        number; `generated` draws at random, and offers no seed.
    Raises InputError if brokers are unknown or away.
    Raises ToolFailed if Kafka's tool does not plan.
    """
    if planner == LEAST:
        return broker_plan.plan(placement, added, removed, has_racks=False)
    brokers = broker_plan.remaining(placement, added, removed)
    if planner == TURNS:
        rows = round_robin(list(placement.replicas.values()), brokers)
    else:
        lists = admin.generated({topic for topic, _ in placement.replicas}, brokers)
        rows = tuple(lists[partition] for partition in placement.replicas)
    return broker_plan.described(placement, rows, added, removed)
