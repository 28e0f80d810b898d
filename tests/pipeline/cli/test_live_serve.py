"""``groupscale live serve`` without a broker: what it asks for, and what it says."""

from __future__ import annotations

from typing import Any

import pytest

from live.live_settings import LiveSettings
from live.login.client_properties import NO_PROPERTIES
from live.user_cluster import program_group
from live.user_cluster.cluster_access import TopicAccess
from live.user_cluster.program_group import GroupStopped
from live.user_cluster.take_over import TakeOver
from pipeline.cli.commands import live_serve_command
from tests.pipeline.cli.command import Home, call

pytestmark = pytest.mark.unit

WORDS = (
    *("live", "serve", "night", "--bootstrap", "b1:9092", "--topic", "orders"),
    *("--group", "billing", "--module", "json", "--capacity", "1MB", "--consumer-rate", "2MB"),
)


class Group:
    """A group that notes what it is started with."""

    made: list[Any]
    fault = ""

    def __init__(self, *arguments: Any) -> None:
        Group.made = [*arguments]

    def __enter__(self) -> Group:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def serve(self, seconds: float | None) -> None:
        Group.made.append(seconds)
        if self.fault:
            raise GroupStopped(self.fault)


@pytest.fixture(autouse=True)
def topic(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Topic orders has seven partitions."""
    client: Any = None
    to = TopicAccess("b1:9092", "orders", 7, NO_PROPERTIES, client)
    monkeypatch.setattr(live_serve_command, "opened", lambda *_: to)
    monkeypatch.setattr(program_group, "ProgramGroup", Group)
    monkeypatch.chdir(home.root)


def test_the_group_has_the_topics_partitions(home: Home) -> None:
    result = call(*WORDS, "--offsets", "latest", "--seconds", "60", "--strategy", "SR_1")
    assert result.exit_code == 0, result.output
    settings, strategy, module, take_over, seconds = Group.made
    assert isinstance(settings, LiveSettings)
    assert (settings.run, settings.data_topic, settings.partitions) == ("night", "orders", 7)
    assert (settings.capacity, settings.consumer_rate) == (1e6, 2e6)
    assert settings.record_bytes == 0
    assert settings.folder == str(home.root / "night")
    assert (strategy, module, seconds) == ("SR_1", "json", 60.0)
    assert take_over == TakeOver("billing", "latest")
    assert result.stdout.splitlines() == [
        f"Took over topic 'orders' from group 'billing'; logs are in {home.root}/night",
        "Gave back topic 'orders' to group 'billing'.",
    ]


def test_a_member_of_the_old_group_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Group, "fault", "app-1 at 10.0.0.7 has joined group 'billing'")
    result = call(*WORDS)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == ["Error: app-1 at 10.0.0.7 has joined group 'billing'"]
    assert "Gave back" not in result.stdout


def test_names_of_groups_are_checked() -> None:
    result = call(*("Night" if word == "night" else word for word in WORDS))
    assert result.exit_code == 2
    assert "`name` must be lowercase letters" in result.stderr
