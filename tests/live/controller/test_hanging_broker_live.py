"""A broker that hangs with its connections open causes no error, and no consumer is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from live.live_settings import LiveSettings
from live.runs.live_run import measure_strategy
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.partition_integrity import integrity

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from live.runs.strategy_run import StrategyRun

pytestmark = pytest.mark.live

LEASE_S, PARTITIONS, ITERATIONS = 4.0, 4, 5
HANGS_S = LEASE_S + 3.0
RATES = [[60_000.0 + 20_000 * ((k + p) % 3) for p in range(PARTITIONS)] for k in range(ITERATIONS)]


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster that this test may stop."""
    from live.kafka.broker_cluster import Cluster

    with Cluster(tmp_path / "cluster") as cluster:
        yield cluster


def hang(run: StrategyRun) -> Generator[float, None, None]:
    """SIGSTOP of the only broker for longer than a lease."""
    yield 5.0
    pid = run.cluster.pid(1)
    os.kill(pid, signal.SIGSTOP)
    run.note("hangs")
    try:
        yield 5.0 + HANGS_S
    finally:
        os.kill(pid, signal.SIGCONT)
    run.note("goes on")


def test_nobody_is_lost(own_broker: Cluster, tmp_path: Path) -> None:
    settings = LiveSettings(
        run="hanging",
        bootstrap="",
        folder=str(tmp_path / "run"),
        partitions=PARTITIONS,
        capacity=200_000.0,
        consumer_rate=240_000.0,
        iteration_s=5.0,
        iterations=ITERATIONS,
        lease_s=LEASE_S,
    )
    folder = run_folder.read(measure_strategy(settings, RATES, "MWF", own_broker, hang))
    faults = {entry["kind"] for entry in folder.said("fault")}
    assert faults <= {"recover"}
    rows = integrity(folder)
    assert [(row.lost, row.twice) for row in rows] == [(0, 0)] * PARTITIONS
    assert folder.run["drained"]
