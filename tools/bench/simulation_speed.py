"""Measures simulations of a consumer group over two hours, by strategy, arrivals and partitions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.core.arrays import Floats
from algorithms.simulation import simulate
from algorithms.workloads import load_profiles, poisson_counts
from tools.bench import results_file
from tools.bench.timing import median_seconds
from tools.console import say

STEPS, SIZES = 7_200, (5, 200)
ARRIVALS = ("uniform", "burst")
MU, SEED = 200.0, 7
LOW, HIGH = 0.1, 0.7
"""Least and greatest load, as shares of what one consumer per partition serves."""

SECONDS = 0.5

PLAIN = ("constant", "linear")
"""Strategies that the plain simulation of the tests is timed with."""

_PLAIN_PROGRAM = "tests.algorithms.simulation.plain_speed"


class SimulationTime(NamedTuple):
    """One measurement."""

    strategy: str
    arrivals: str
    """`strategy`, `arrivals`: name in the registry, and how the events of a step arrive."""
    partitions: int
    """Number of partitions."""
    milliseconds: float
    """Time of one simulation."""
    plain_ratio: float | None = None
    """How many times as long the plain simulation of the tests takes, which computes in exact
    fractions."""

    @property
    def millions_per_s(self) -> float:
        """Million step-partitions per second."""
        return STEPS * self.partitions / self.milliseconds / 1e3


def main(file: Path) -> None:
    """Measure everything, print the rows and write `simulations` to a file."""
    rows = list(measure())
    print("milliseconds per simulation of 7,200 steps; million step-partitions per second\n")
    for row in rows:
        print(
            f"{row.strategy:20} {row.arrivals:8} P = {row.partitions:<4} "
            f"{row.milliseconds:8.1f} {row.millions_per_s:8.1f}"
            + (f"  {row.plain_ratio:,.0f} × the plain one" if row.plain_ratio else "")
        )
    results_file.update(file, {"simulations": [row._asdict() for row in rows]})
    print(f"\n{file}")


def measure() -> Iterator[SimulationTime]:
    """Measure the strategies that are compared by default."""
    say("bench: the plain simulation")
    plain = _plain_seconds()
    for partitions in SIZES:
        say(f"bench: simulations with {partitions} partitions")
        rates = workload(partitions)
        for strategy in COMPARED:
            for arrivals in ARRIVALS:
                seconds = _seconds(rates, strategy, arrivals)
                slow = plain.get(f"{strategy} {partitions} {arrivals}")
                ratio = slow * STEPS / seconds if slow else None
                yield SimulationTime(strategy, arrivals, partitions, seconds * 1e3, ratio)


def _plain_seconds() -> dict[str, float]:
    """Seconds per step of the plain simulation, by strategy, partitions and arrivals."""
    # A program of its own: nothing outside the tests imports them.
    done = subprocess.run(
        [sys.executable, "-m", _PLAIN_PROGRAM], check=True, stdout=subprocess.PIPE, text=True
    )
    seconds: dict[str, float] = json.loads(done.stdout)
    return seconds


def workload(partitions: int) -> Floats:
    """A diurnal load in Poisson counts, equal over the partitions."""
    most = MU * partitions
    total = load_profiles.generate("diurnal", STEPS, LOW * most, HIGH * most)
    return poisson_counts.draw(np.repeat(total[:, None] / partitions, partitions, 1), 1.0, SEED)


def _seconds(rates: Floats, strategy: str, arrivals: str) -> float:
    settings = {"mu": MU, "arrivals": arrivals}
    # Compiles, or loads from the cache.
    simulate(rates[:2], strategy, settings=settings)
    return median_seconds(
        lambda: simulate(rates, strategy, settings=settings), SECONDS, fewest=3, most=50
    )
