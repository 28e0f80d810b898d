"""Settings of consumers: those that Kafka's clients accept for each protocol."""

from __future__ import annotations

import pytest

from algorithms.assignment import assignors
from pipeline.autoscaling.recommendation import consumer_settings
from pipeline.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.errors import InputError

pytestmark = pytest.mark.unit

OF_CLASSIC = {"partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms"}
"""What a consumer refuses if ``group.protocol`` is ``consumer``."""


def of(assignor: str, **settings: object) -> Consumers:
    (found,) = consumer_settings.compared({"assignor": assignor, **settings})
    return found


@pytest.mark.parametrize("assignor", assignors.names())
def test_each_protocol_has_its_own_settings(assignor: str) -> None:
    """Kafka's consumer ends with an error at a setting of the other protocol."""
    consumers = of(assignor)
    if not consumers.is_kafkas:
        assert assignor == "kip169"
        return
    client = consumer_settings.client_properties(consumers)
    group = consumer_settings.group_properties(consumers)
    if assignor.startswith("kip848"):
        assert consumers.protocol == "incremental"
        assert client["group.protocol"] == "consumer"
        assert not OF_CLASSIC & set(client)
        assert client["group.remote.assignor"] in ("range", "uniform")
        assert group == {
            "consumer.heartbeat.interval.ms": "5000",
            "consumer.session.timeout.ms": "45000",
        }
    else:
        assert set(client) == {"group.protocol", *OF_CLASSIC}
        assert client["group.protocol"] == "classic"
        assert (client["heartbeat.interval.ms"], client["session.timeout.ms"]) == ("3000", "45000")
        assert group == {}


def test_classes_are_kafkas() -> None:
    names = {
        assignor: consumer_settings.client_properties(of(assignor))[
            "partition.assignment.strategy"
        ].rpartition(".")
        for assignor in ("range", "roundrobin", "sticky", "cooperative_sticky")
    }
    assert {place for place, _, _ in names.values()} == {"org.apache.kafka.clients.consumer"}
    assert [name for _, _, name in names.values()] == [
        *("RangeAssignor", "RoundRobinAssignor", "StickyAssignor", "CooperativeStickyAssignor")
    ]


def test_a_session_has_at_least_three_heartbeats() -> None:
    client = consumer_settings.client_properties(of("range", heartbeat_s=20.0))
    assert (client["heartbeat.interval.ms"], client["session.timeout.ms"]) == ("20000", "60000")
    group = consumer_settings.group_properties(of("kip848_uniform", heartbeat_s=0.25))
    assert group["consumer.heartbeat.interval.ms"] == "250"


def test_without_an_assignor_three_kinds_are_compared() -> None:
    found = consumer_settings.compared({})
    assert found[0] == Consumers("range", "eager", 3.0)
    assert [each.protocol for each in found] == ["eager", "cooperative", "incremental"]
    assert {each.heartbeat_s for each in consumer_settings.compared({"heartbeat_s": 1.0})} == {1.0}


def test_a_protocol_is_that_of_the_assignor() -> None:
    assert of("sticky", protocol="eager") == of("sticky")
    with pytest.raises(InputError, match=r"protocol must be eager with assignor range \(got inc"):
        consumer_settings.compared({"assignor": "range", "protocol": "incremental"})
    with pytest.raises(InputError, match="protocol must come with an assignor"):
        consumer_settings.compared({"protocol": "eager"})
