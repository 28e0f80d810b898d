"""Measures simulations of a consumer group to which something happens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from algorithms.simulation import incident_texts, incident_times
from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.simulation.incident_times import RETENTION_S, Incident, Recording
from tools.bench import results_file, simulation_speed
from tools.bench.simulation_speed import MU, SECONDS, SIZES, STEPS
from tools.bench.timing import median_seconds
from tools.console import say

NONE = "none"
EVENTS = (
    *("restart@1h", "crash@1h", "outage@1h:5m", "limit@1h:10000,for=10m", "warm_up:30"),
    *("spot@1h", "blind@1h:10m,kind=zero"),
)
"""As ``--event`` has them; the groups serve between 4,000 and 28,000 events/s."""

STRATEGIES = ("constant", "headroom", "keda_hpa")
ARRIVALS = "uniform"


class EventTime(NamedTuple):
    """One measurement, with the most partitions of `simulation_speed.SIZES`."""

    strategy: str
    event: str
    """`strategy`, `event`: name in the registry, and one of `EVENTS`, or `NONE`."""
    milliseconds: float
    """Time of one simulation of two hours."""

    @property
    def millions_per_s(self) -> float:
        """Million step-partitions per second."""
        return STEPS * SIZES[-1] / self.milliseconds / 1e3


def main(file: Path) -> None:
    """Measure everything, print the rows and write `event_simulations` to a file."""
    rows = list(measure())
    print("simulations with events: milliseconds; million step-partitions per second\n")
    for row in rows:
        print(f"{row.strategy:10} {row.event:24} {row.milliseconds:8.1f} {row.millions_per_s:8.1f}")
    results_file.update(file, {"event_simulations": [row._asdict() for row in rows]})
    print(f"\n{file}")


def measure() -> Iterator[EventTime]:
    """Measure each strategy without events, and with each of them."""
    rates = simulation_speed.workload(SIZES[-1])
    settings = {"mu": MU, "arrivals": ARRIVALS}
    for strategy in STRATEGIES:
        say(f"bench: events under {strategy}")
        for event in (NONE, *EVENTS):
            incidents = happening(event)
            # Compiles, or loads from the cache.
            simulate_in_detail(rates[:2], strategy, settings=settings)
            one = partial(
                simulate_in_detail, rates, strategy, settings=settings, incidents=incidents
            )
            seconds = median_seconds(one, SECONDS, fewest=3, most=50)
            yield EventTime(strategy, event, seconds * 1e3)


def happening(event: str) -> tuple[Incident, ...]:
    """What happens in a simulation."""
    declared = [] if event == NONE else [incident_texts.parse(event)]
    return incident_times.placed(declared, Recording(float(STEPS)), RETENTION_S)
