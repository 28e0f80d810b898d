"""``groupscale live watch`` on a broker."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.live.user_cluster.live_command import LiveCommand
from tests.pipeline.cli.command import Home, call

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster.secured_broker import SecuredBroker

pytestmark = pytest.mark.live

GROUP = "billing"


@pytest.fixture
def busy(broker: Cluster, topic: str) -> Iterator[str]:
    """A topic with old records, of which a group has read some, and new ones in two partitions."""
    from tests.live.user_cluster import user_topic

    user_topic.fill(broker.bootstrap, topic, {0: 300, 1: 200, 2: 100})
    user_topic.commit(broker.bootstrap, GROUP, topic, {0: 250, 1: 0})
    over = threading.Event()

    def produce() -> None:
        while not over.wait(0.1):
            user_topic.fill(broker.bootstrap, topic, {1: 1, 2: 2}, 1000)

    thread = threading.Thread(target=produce)
    thread.start()
    yield topic
    over.set()
    thread.join()


def rows(text: str) -> dict[str, list[str]]:
    """Rows of the tables by their first cell."""
    lines = [line.replace("\u00a0", " ").split() for line in text.splitlines()]
    return {line[0]: line[1:] for line in lines if line}


def test_one_table(broker: Cluster, busy: str, home: Home) -> None:
    to = ["--bootstrap", broker.bootstrap, "--topic", busy, "--group", GROUP, "--once"]
    result = call("live", "watch", *to, "--capacity", "1000000", "--strategy", "MWF,kd_2")
    assert (result.exit_code, result.stderr) == (0, "")
    table = rows(result.stdout)
    # Before the consumers that the strategies would assign it to: lag in events and in seconds.
    assert table["0"] == ["0", "B/s", "0", "300", "250", "50", "–", "0", "0"]
    assert table["1"][:2] != ["0", "B/s"]
    assert table["1"][1] == "kB/s"
    assert int(table["1"][5].replace(",", "")) >= 200
    assert table["2"][-4:-2] == ["–", "–"]
    assert table["MWF"] == ["1", "–", "–", "–"]
    assert table["kd_2"] == ["2", "–", "–", "–"]


def test_strategies_on_events(broker: Cluster, busy: str, home: Home) -> None:
    to = ["--bootstrap", broker.bootstrap, "--topic", busy, "--group", GROUP, "--once"]
    result = call("live", "watch", *to, "--mu", "1000", "--strategy", "MWF,keda_hpa")
    assert (result.exit_code, result.stderr) == (0, "")
    assert rows(result.stdout)["MWF"][0] == "1"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_views_until_a_signal(
    broker: Cluster, busy: str, tmp_path: Path, number: signal.Signals
) -> None:
    to = ["--bootstrap", broker.bootstrap, "--topic", busy, "--period", "1"]
    command = LiveCommand(tmp_path, "watch", *to, "--capacity", "1e6", "--strategy", "kd_2")
    command.wait_until(lambda: command.out.count("total") >= 6)
    command.send(number)
    assert command.status() == 0
    assert command.err == ""
    last = rows(command.out)
    assert last["kd_2"] == ["2", "0", "0.0", "%", "0"]


def test_a_group_that_the_user_may_not_see(
    secured: SecuredBroker, secured_topic: str, tmp_path: Path, home: Home
) -> None:
    from tests.live.user_cluster.secured_broker import MAY_NO_GROUP, SECRET

    config = str(secured.properties(tmp_path / "p", MAY_NO_GROUP))
    to = ["--bootstrap", secured.bootstrap, "--topic", secured_topic, "--config", config]
    result = call("live", "watch", *to, "--once", "--strategy", "kd_1")
    assert result.exit_code == 0, result.stderr
    result = call("live", "watch", *to, "--once", "--strategy", "kd_1", "--group", GROUP)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert f"no permission to read the offsets of group '{GROUP}'" in result.stderr
    assert SECRET not in result.output
