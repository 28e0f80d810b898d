"""A consumer that shows that it lives, but obeys no command, is lost after a lease."""

from __future__ import annotations

import signal
from collections.abc import Generator
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

LEASE_S, PARTITIONS, ITERATIONS, VICTIM = 3.0, 4, 5, 0
LOW, HIGH = 40_000.0, 160_000.0
# Partitions 0 and 1 fit one consumer in the first iterations, and need two in the others.
RATES = [[HIGH if k >= 2 and p < 2 else LOW for p in range(PARTITIONS)] for k in range(ITERATIONS)]


def deafen(run: StrategyRun) -> Generator[float, None, None]:
    """Let a consumer lose its commands from the first iteration on."""
    run.launcher.module = "tests.live.consumer.deaf_consumer"
    return _deafen(run)


def _deafen(run: StrategyRun) -> Generator[float, None, None]:
    yield 7.0
    run.note("deaf")
    incarnation = max(i for consumer, i in run.launcher.running() if consumer == VICTIM)
    run.launcher.send(VICTIM, incarnation, signal.SIGUSR1)


def test_its_partitions_go_to_others(broker: Cluster, tmp_path: Path) -> None:
    settings = LiveSettings(
        run="deaf",
        bootstrap="",
        folder=str(tmp_path / "run"),
        partitions=PARTITIONS,
        capacity=200_000.0,
        consumer_rate=240_000.0,
        iteration_s=5.0,
        iterations=ITERATIONS,
        lease_s=LEASE_S,
    )
    folder = run_folder.read(measure_strategy(settings, RATES, "MWF", broker, deafen))
    (lost,) = [entry for entry in folder.said("fault") if entry["kind"] == "lost"]
    assert lost["consumer"] == VICTIM
    asked = min(
        entry["at_ns"]
        for entry in folder.said("iteration")
        if entry["iteration"] >= 2 and entry["at_ns"] < lost["at_ns"]
    )
    waited_s = (lost["at_ns"] - asked) / 1e9
    assert LEASE_S <= waited_s < 2 * LEASE_S
    rows = integrity(folder)
    assert [row.lost for row in rows] == [0] * PARTITIONS
    assert folder.run["drained"]
