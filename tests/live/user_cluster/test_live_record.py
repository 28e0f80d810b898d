"""``groupscale live record`` on a broker."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipeline.inputs import traces
from pipeline.settings.load import resolve
from tests.live.user_cluster.live_command import LiveCommand
from tests.pipeline.cli.command import Home, call

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster.secured_broker import SecuredBroker

pytestmark = pytest.mark.live

SIZE = 1000
EVERY_S = 0.1


@pytest.fixture
def busy(broker: Cluster, topic: str) -> Iterator[str]:
    """A topic to whose partition p go 10 p records of 1 kB each second."""
    from tests.live.user_cluster import user_topic

    over = threading.Event()

    def produce() -> None:
        while not over.wait(EVERY_S):
            user_topic.fill(broker.bootstrap, topic, {1: 1, 2: 2}, SIZE)

    thread = threading.Thread(target=produce)
    thread.start()
    yield topic
    over.set()
    thread.join()


def rows(file: Path) -> int:
    return len(file.read_text().splitlines()) - 1 if file.exists() else 0


def test_a_recording_can_be_used(broker: Cluster, busy: str, home: Home) -> None:
    file = home.root / "rates.csv"
    to = ["--bootstrap", broker.bootstrap, "--topic", busy]
    result = call("live", "record", *to, "--seconds", "6", "-o", file)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Recorded 6 rows of 3 partitions")
    trace = traces.load(file)
    mean = trace.rates.mean(axis=0)
    assert mean[0] == 0
    # The producer is slower than it should be on a busy machine, but as much in both.
    assert 0 < mean[1] < 1.2 * SIZE / EVERY_S
    assert mean[2] == pytest.approx(2 * mean[1], rel=0.15)
    assert call("import", file).exit_code == 0
    simulated = call(
        *("simulate", file, "--strategy", "linear"), *("--set", "mu=20000", "--format", "json")
    )
    assert simulated.exit_code == 0, simulated.stderr
    asked = ("--mu", "20000", "--slo", "90%@5s", "--strategy", "constant")
    recommended = call("recommend", file, *asked)
    assert recommended.exit_code == 0, recommended.stderr
    sizes = ["capacity=20000", "consumer_capacity=25000"]
    (workload,) = resolve(None, None, sizes, [file]).traces
    assert workload.partitions == 3
    again = call("live", "record", *to, "--seconds", "6", "-o", file)
    assert (again.exit_code, again.stderr.count("\n")) == (2, 1)
    assert "exists already" in again.stderr


@pytest.mark.parametrize(
    ("number", "words", "status"),
    [
        (signal.SIGINT, [], 0),
        (signal.SIGTERM, [], 0),
        (signal.SIGINT, ["--seconds", "600"], 130),
        (signal.SIGKILL, [], -9),
    ],
)
def test_an_end_keeps_what_was_recorded(
    broker: Cluster,
    busy: str,
    tmp_path: Path,
    number: signal.Signals,
    words: list[str],
    status: int,
) -> None:
    file = tmp_path / "rates.csv"
    to = ["--bootstrap", broker.bootstrap, "--topic", busy, "--period", "0.3"]
    command = LiveCommand(tmp_path, "record", *to, "-o", file, *words)
    command.wait_until(lambda: rows(file) >= 4)
    command.send(number)
    assert command.status() == status, command.err
    trace = traces.load(file)
    assert len(trace.rates) >= 4
    assert np.isfinite(trace.rates).all()
    if number != signal.SIGKILL:
        assert command.out.startswith(f"Recorded {len(trace.rates)} rows of 3 partitions")
    assert "Traceback" not in command.err


def test_only_what_is_allowed_over_tls(
    secured: SecuredBroker, secured_topic: str, tmp_path: Path, home: Home
) -> None:
    from tests.live.user_cluster.secured_broker import (
        MAY_NOT_DESCRIBE,
        MAY_NOTHING,
        MAY_READ,
        SECRET,
    )

    def said(user: str, *words: str) -> tuple[int, str]:
        config = secured.properties(tmp_path / "client.properties", user, max_poll_records="5")
        to = ["--bootstrap", secured.bootstrap, "--topic", secured_topic, "--debug"]
        output = tmp_path / f"{user}.csv"
        result = call("live", "record", *to, *words, "--config", config, "-o", output)
        assert SECRET not in result.output
        return result.exit_code, result.stderr

    status, text = said(MAY_READ, "--seconds", "2")
    assert status == 0
    assert text == (
        f"Note: {tmp_path}/client.properties: settings without effect here: max.poll.records\n"
    )
    assert len(traces.load(tmp_path / "reader.csv").rates) == 2
    status, text = said(MAY_NOT_DESCRIBE, "--seconds", "2")
    assert status == 2
    assert "the user needs the right Describe on the cluster" in text
    status, text = said(MAY_NOTHING, "--seconds", "2")
    assert status == 2
    assert "no permission to describe topic" in text
    assert sorted(tmp_path.glob("*.csv")) == [tmp_path / "reader.csv"]
