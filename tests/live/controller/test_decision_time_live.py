"""A decision on 200 partitions on a broker: from the measurement to its commands."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pytest

from algorithms.workloads import random_walk
from live.live_settings import LiveSettings
from live.runs.live_run import measure_strategy
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.plan_times import plan_times

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster

pytestmark = pytest.mark.live

PARTITIONS, ITERATIONS, CAPACITY = 200, 10, 50_000.0
MOST_S = 0.02
"""From the measurement until the commands are handed to the client, s."""


def test_commands_are_sent_20_ms_after_the_measurement(
    broker: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = LiveSettings(
        run="decisions",
        bootstrap="",
        folder=str(tmp_path / "run"),
        partitions=PARTITIONS,
        capacity=CAPACITY,
        consumer_rate=1.2 * CAPACITY,
        iteration_s=2.0,
        iterations=ITERATIONS,
        seed=7,
    )
    rates = random_walk.generate(PARTITIONS, ITERATIONS, 25.0, CAPACITY / 10, None, 7)
    folder = run_folder.read(measure_strategy(settings, rates.tolist(), "MWF", broker))
    plans = [plan for plan in plan_times(folder) if plan.iteration > 1]
    sent = [plan.handed_s for plan in plans if plan.handed_s is not None]
    committed = [plan.decided_s for plan in plans if plan.decided_s is not None]
    moves = median(plan.moves for plan in plans)
    with capsys.disabled():
        print(
            f"\n200 partitions on a broker, {len(plans)} plans of {moves:.0f} moves, ms: handed "
            f"over {1000 * median(sent):.1f}, committed {1000 * median(committed):.1f}"
        )
    assert len(sent) >= 5
    assert moves > 20
    assert median(sent) < MOST_S
