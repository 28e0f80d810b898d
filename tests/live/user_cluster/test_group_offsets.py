"""Offsets of a topic and of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from live.login.client_properties import NO_PROPERTIES
from live.user_cluster.cluster_access import TopicAccess, access
from live.user_cluster.group_offsets import GroupOffsets

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster


@pytest.mark.unit
def test_without_a_group_nothing_is_committed() -> None:
    client: Any = None
    offsets = GroupOffsets(TopicAccess("127.0.0.1:1", "t", 3, NO_PROPERTIES, client), None)
    offsets.check(0.1)
    assert offsets.committed(range(2), 0.1) == {}
    assert offsets.ends(range(0), 0.1) == {}
    offsets.close()


@pytest.mark.live
def test_offsets_of_a_broker(broker: Cluster, topic: str) -> None:
    from tests.live.user_cluster import user_topic

    user_topic.fill(broker.bootstrap, topic, {0: 5, 2: 3})
    user_topic.commit(broker.bootstrap, "readers", topic, {0: 2, 1: 0})
    offsets = GroupOffsets(access(broker.bootstrap, topic, NO_PROPERTIES), "readers")
    offsets.check(10.0)
    assert offsets.ends(range(3), 10.0) == {0: 5, 1: 0, 2: 3}
    assert offsets.committed(range(3), 10.0) == {0: 2, 1: 0}
    offsets.close()
    nobody = GroupOffsets(access(broker.bootstrap, topic, NO_PROPERTIES), "nobody")
    nobody.check(10.0)
    assert nobody.committed(range(3), 10.0) == {}
    nobody.close()
