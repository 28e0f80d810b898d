"""Settings of consumers: those that Kafka's clients accept for each protocol."""

from __future__ import annotations

import pytest

from algorithms.assignment import assignors
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation import consumer_settings
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers

pytestmark = pytest.mark.unit

OF_CLASSIC = {"partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms"}
"""What a consumer refuses if ``group.protocol`` is ``consumer``."""


def of(assignor: str, **settings: object) -> Consumers:
    (consumers,) = consumer_settings.compared({"assignor": assignor, **settings})
    return consumers


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
        assert set(client) == {"group.protocol", "auto.commit.interval.ms", *OF_CLASSIC}
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


@pytest.mark.parametrize(
    ("assignor", "heartbeat_s", "needed"),
    [
        *((each.assignor, each.heartbeat_s, {}) for each in consumer_settings.COMPARED),
        ("kip848_range", 15.0, {}),
        ("kip848_uniform", 1.0, {"group.consumer.min.heartbeat.interval.ms": "1000"}),
        ("kip848_uniform", 16.0, {"group.consumer.max.heartbeat.interval.ms": "16000"}),
        (
            "kip848_range",
            30.0,
            {
                "group.consumer.max.heartbeat.interval.ms": "30000",
                "group.consumer.max.session.timeout.ms": "90000",
            },
        ),
        ("range", 0.001, {}),
        ("range", 600.0, {}),
        ("sticky", 601.0, {"group.max.session.timeout.ms": "1803000"}),
    ],
)
def test_what_brokers_refuse_by_default(
    assignor: str, heartbeat_s: float, needed: dict[str, str]
) -> None:
    """KIP-848: heartbeats of 5 to 15 s, sessions of 45 to 60 s; classic: sessions of 30 min."""
    assert consumer_settings.broker_settings(of(assignor, heartbeat_s=heartbeat_s)) == needed


@pytest.mark.parametrize("heartbeat_s", [0.0, 0.0005, 715_828.0])
def test_heartbeats_that_kafka_cannot_have(heartbeat_s: float) -> None:
    message = rf"heartbeat_s must be between 0.001 and 715,827, .*\(got {heartbeat_s}\); leave it"
    for settings in ({}, {"assignor": "range"}, {"assignor": "kip848_uniform"}):
        with pytest.raises(InputError, match=message):
            consumer_settings.compared({"heartbeat_s": heartbeat_s, **settings})
    most = consumer_settings.client_properties(of("range", heartbeat_s=715_827.0))
    assert int(most["session.timeout.ms"]) < 2**31


def test_without_an_assignor_three_kinds_are_compared() -> None:
    consumers = consumer_settings.compared({})
    assert consumers[0] == Consumers("range", "eager", 3.0)
    assert [each.protocol for each in consumers] == ["eager", "cooperative", "incremental"]
    assert {each.heartbeat_s for each in consumer_settings.compared({"heartbeat_s": 1.0})} == {1.0}


def test_a_protocol_is_that_of_the_assignor() -> None:
    assert of("sticky", protocol="eager") == of("sticky")
    with pytest.raises(InputError, match=r"protocol must be eager with assignor range \(got inc"):
        consumer_settings.compared({"assignor": "range", "protocol": "incremental"})
    with pytest.raises(InputError, match="protocol"):
        consumer_settings.compared({"protocol": "eager"})


@pytest.mark.parametrize("assignor", ["range", "kip848_uniform"])
@pytest.mark.parametrize(
    ("commits", "commit_s", "interval"),
    [("auto", 5.0, "5000"), ("auto", 0.5, "500"), ("auto", 0.0, None), ("batch", 5.0, None),
     ("30", 30.0, None)],
)  # fmt: skip
def test_only_commits_of_the_client_have_a_setting(
    assignor: str, commits: str, commit_s: float, interval: str | None
) -> None:
    client = consumer_settings.client_properties(of(assignor), commits, commit_s)
    assert client.get("auto.commit.interval.ms") == interval
    assert "enable.auto.commit" not in client
    note = consumer_settings.commit_note(commits, commit_s)
    assert ("enable.auto.commit is not set" in note) == (interval is not None)


@pytest.mark.parametrize(
    ("assignor", "restarts"),
    [
        ("range", "Kafka's default list has it"),
        ("cooperative_sticky", "Kafka's default list has it"),
        ("roundrobin", "two rolling restarts"),
        ("sticky", "two rolling restarts"),
        ("kip848_uniform", ""),
    ],
)
def test_members_need_an_assignor_in_common(assignor: str, restarts: str) -> None:
    note = consumer_settings.roll_out_note(of(assignor))
    assert restarts in note
    assert bool(note) == bool(restarts)
    assert ("default list" in note) == ("default list" in restarts)


def test_work_in_flight_names_the_time_to_finish_it() -> None:
    assert consumer_settings.leaving_note(0.0) == ""
    note = consumer_settings.leaving_note(2.5)
    assert "in_flight_s=2.5" in note
    assert "terminationGracePeriodSeconds" in note
