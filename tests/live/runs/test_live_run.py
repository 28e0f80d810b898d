"""A run that fails says why, whatever becomes of its topics."""

from __future__ import annotations

import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from live.kafka import topics
from live.kafka.broker_cluster import Cluster
from live.processes import child_processes
from live.runs import live_run
from live.runs.strategy_run import RunFailed, StrategyRun
from pipeline.base.errors import InputError
from tests.pipeline.experiments.live.synthetic_folders import settings_for

pytestmark = pytest.mark.unit


def test_the_reason_of_a_failure_is_not_hidden_by_brokers_that_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def __init__(self, *_: Any) -> None: ...

        def measure(self) -> None:
            raise RunFailed("no space left in /brokers")

        def stop(self) -> None: ...

    def no_answer(*_: Any) -> None:
        raise InputError("no Kafka broker answers")

    monkeypatch.setattr(live_run, "StrategyRun", Failing)
    monkeypatch.setattr(topics, "create", lambda settings: None)
    monkeypatch.setattr(topics, "delete", no_answer)
    cluster = cast(Cluster, SimpleNamespace(bootstrap="b:9092", client_file=""))
    with pytest.raises(RunFailed, match="no space left"):
        live_run.measure_strategy(settings_for(tmp_path / "run"), [[1.0]], "kd_1", cluster)


@pytest.mark.parametrize(
    ("failures", "free", "words"),
    [
        ({}, 0, ""),
        ({1: "node 1 has ended: why"}, 10**9, "^node 1 has ended: why$"),
        ({1: "node 1 has ended"}, 4096, "^no space left in .*brokers; node 1 has ended$"),
    ],
)
def test_a_run_fails_soon_without_brokers(
    failures: dict[int, str],
    free: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = StrategyRun.__new__(StrategyRun)
    run._brokers = Cluster.__new__(Cluster)
    run._brokers.folder, run._brokers.nodes = tmp_path / "brokers", 1
    monkeypatch.setattr(run._brokers, "failures", lambda: failures)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=free))
    if not words:
        run._check_brokers()
        return
    with pytest.raises(RunFailed, match=words):
        run._check_brokers()


def test_a_run_fails_when_its_producer_is_killed(tmp_path: Path) -> None:
    run = StrategyRun.__new__(StrategyRun)
    run.producer = child_processes.start(["sleep", "60"], "producer", tmp_path / "producer.log")
    assert not run._has_produced()
    run.producer.send(signal.SIGKILL)
    run.producer.status_within(10.0)
    words = r"^the producer has failed: exit status -9 \(log: .*producer\.log\)$"
    with pytest.raises(RunFailed, match=words):
        run._has_produced()
