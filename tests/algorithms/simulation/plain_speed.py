"""Times the plain simulation of the tests for `make bench`, which runs this as a program.

It prints a JSON object: seconds per step by ``STRATEGY PARTITIONS ARRIVALS``.
"""

from __future__ import annotations

import json
import time
from fractions import Fraction

from algorithms.autoscaling import registry
from algorithms.simulation import group_settings
from algorithms.simulation.group_settings import PAPER_GROUP
from tests.algorithms.simulation.plain_group import Group
from tests.algorithms.simulation.plain_settings import ONE, Setup
from tests.algorithms.simulation.test_strategies import Stepper
from tools.bench.simulation_speed import ARRIVALS, MU, PLAIN, SIZES, workload

STEPS = {5: 200, 200: 10}


def main() -> None:
    seconds_by_case = {
        f"{name} {partitions} {arrivals}": seconds(name, partitions, arrivals)
        for name in PLAIN
        for partitions in SIZES
        for arrivals in ARRIVALS
    }
    print(json.dumps(seconds_by_case))


def seconds(name: str, partitions: int, arrivals: str) -> float:
    """Seconds per step of a strategy on the first steps of the workload."""
    rates = workload(partitions)[: STEPS[partitions]]
    settings = group_settings.check_settings(
        PAPER_GROUP | {"mu": MU, "arrivals": arrivals}, partitions, 1.0, None
    )
    strategy = registry.get(name)
    group = group_settings.group_of(settings, rates.max(axis=0))
    setup = Setup(ONE, partitions, arrivals=arrivals, mu=Fraction(MU))
    exact = [[Fraction(rate) for rate in row] for row in rates.tolist()]
    began = time.perf_counter()
    Group(exact, setup, Stepper(strategy, strategy.start(group))).run()
    return (time.perf_counter() - began) / len(rates)


if __name__ == "__main__":
    main()
