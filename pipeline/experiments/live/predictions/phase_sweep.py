"""How much the time from burst to decision decides: ``python -m … [FILE]`` prints the table.

FILE has one total rate per second, such as workload 1; without, the generated one is used. Groups
have five equal partitions and the settings of the published figures.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.group_defaults import PAPER_GROUP
from algorithms.core.arrays import Floats
from algorithms.simulation import simulate
from algorithms.workloads.partition_splits import split
from algorithms.workloads.three_peaks import three_peaks
from live.live_settings import BURSTS, DRIFT, EVEN
from pipeline.experiments.streams.burst_steps import (
    COOLDOWNS_S,
    DRIFT_STEP_S,
    DRIFTS_S,
    OFFSETS_S,
    at_phase,
    burst_steps,
    whole_seconds,
)
from pipeline.inputs import traces

PARTITIONS, SECONDS = 5, 600
STRATEGIES = ("least_loaded_1", "least_loaded_2")

SEEDS = 30
"""First phases of bursts that drift, each random."""

GROUP: Mapping[str, Any] = {**PAPER_GROUP, "assignor": "range", "heartbeat_s": 3.0}

Row = Sequence[str]


class Share(NamedTuple):
    """Events in time, %, and replica-minutes of a simulation."""

    in_time: float
    minutes: float


def at(rates: Floats, strategy: str, cooldown_s: float, arrivals: str, phase_s: float) -> Share:
    """Share of a group whose bursts keep their phase, or that has none.

    rates: ``float64[N, P]``, events/s in each second.
    """
    own = {"cooldown_s": cooldown_s, **at_phase(arrivals, phase_s)}
    return _simulated(whole_seconds(rates), strategy, own)


def drifting(
    rates: Floats, strategy: str, cooldown_s: float, drift_s: float, phase_s: float
) -> Share:
    """Share of a group whose bursts drift from a first phase on."""
    short = {"step_s": DRIFT_STEP_S, "decision_s": 1.0, "arrivals": "burst"}
    steps = burst_steps(rates, DRIFT, phase_s, DRIFT_STEP_S, drift_s)
    return _simulated(steps, strategy, {**short, "cooldown_s": cooldown_s})


def _simulated(rates: Floats, strategy: str, own: Mapping[str, Any]) -> Share:
    result = simulate(rates, strategy, settings={**GROUP, **own})
    in_time = math.nan if result.sla_percent is None else result.sla_percent
    return Share(in_time, result.replica_minutes)


def rows(rates: Floats, seeds: int = SEEDS) -> Iterator[Row]:
    """Rows of the table: arrivals, and a cell for each strategy and cooldown."""
    cells = [(strategy, cooldown) for strategy in STRATEGIES for cooldown in COOLDOWNS_S]
    yield "even", *(_cell([at(rates, *cell, EVEN, 0.0)]) for cell in cells)
    for offset_s in OFFSETS_S:
        shares = (_cell([at(rates, *cell, BURSTS, 1.0 - offset_s)]) for cell in cells)
        yield f"bursts, decision after {offset_s:g} s", *shares
    first = np.random.default_rng(0).random(seeds)
    for drift_s in DRIFTS_S:
        shares = (
            _cell([drifting(rates, *cell, drift_s, phase) for phase in first]) for cell in cells
        )
        yield f"drift {1000 * drift_s:+g} ms/s", *shares


def _cell(shares: Sequence[Share]) -> str:
    """Median, and the range if there are several."""
    in_time = np.array([share.in_time for share in shares])
    minutes = float(np.median([share.minutes for share in shares]))
    spread = f" ({in_time.min():.1f} to {in_time.max():.1f})" if len(shares) > 1 else ""
    return f"{np.median(in_time):.1f}{spread}; {minutes:.1f}"


def _total(files: Sequence[str]) -> Floats:
    return traces.read(Path(files[0])).rates[:, 0] if files else three_peaks(SECONDS)


def main(files: Sequence[str]) -> None:
    """Print the table as Markdown."""
    head = [f"`{name}`, cooldown {wait:g} s" for name in STRATEGIES for wait in COOLDOWNS_S]
    print("| arrivals |", " | ".join(head), "|")
    print("|---" * (len(head) + 1) + "|")
    for row in rows(split(_total(files), PARTITIONS)):
        print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main(sys.argv[1:])
