"""A program that runs a strategy live."""

from __future__ import annotations

import sys
from pathlib import Path

from algorithms.workloads import random_walk
from live.kafka.broker_cluster import Cluster
from live.live_settings import LiveSettings
from live.runs.live_run import measure_strategy

PARTITIONS, ITERATIONS = 6, 4


def settings(folder: Path) -> LiveSettings:
    """Settings of a short run."""
    return LiveSettings(
        run="probe",
        bootstrap="",
        folder=str(folder),
        partitions=PARTITIONS,
        capacity=200_000.0,
        consumer_rate=240_000.0,
        iteration_s=4.0,
        iterations=ITERATIONS,
        seed=11,
    )


def rates() -> list[list[float]]:
    """Rates of the stream, bytes/s."""
    table: list[list[float]] = random_walk.generate(
        PARTITIONS, ITERATIONS, 20.0, 200_000.0, None, 11
    ).tolist()
    return table


def main(folder: Path) -> None:
    """Run to the end."""
    with Cluster(folder / "brokers", has_login=True) as cluster:
        measure_strategy(settings(folder / "run"), rates(), "MWF", cluster)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
