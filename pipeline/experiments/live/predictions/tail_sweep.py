"""What the longest waits come from, heartbeats or batches: ``python -m … [FILE]`` prints the table.

Ezzeddine et al. 2024 (Fig. 9) see a maximum of 3 s with heartbeats of 3 s, and below 1 s with 0.5
s. A rebalance also waits for batches: 500 events take 2.5 s. FILE has one total rate per second,
such as workload 1; without, the generated one is used. Groups have five equal partitions and
Algorithm 2.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.group_defaults import PAPER_GROUP
from algorithms.core.arrays import Floats
from algorithms.core.group_declarations import HEARTBEATS
from algorithms.simulation import simulate
from algorithms.workloads.partition_splits import split
from algorithms.workloads.three_peaks import three_peaks
from pipeline.inputs import traces

PARTITIONS, SECONDS = 5, 600
STRATEGY = "least_loaded_2"
HEARTBEATS_S = (0.5, 3.0)
BATCHES = (1, 50, 500)
"""Most events that a member takes at once."""

SEEDS = 30
"""Phases of bursts, evenly spread over a second; each has its own phases of heartbeats."""

GROUP: Mapping[str, Any] = {**PAPER_GROUP, "arrivals": "burst", "cooldown_s": 10.0}

Row = Sequence[str]


class Tail(NamedTuple):
    """Events in time, %, and the longest wait, s."""

    in_time: float
    longest_s: float


def tails(
    rates: Floats, kind: str, heartbeat_s: float, batch: int, seeds: int = SEEDS
) -> list[Tail]:
    """The group under each phase of the bursts.

    rates: ``float64[N, P]``, events/s in each second.
    kind: One of `HEARTBEATS`.
    """
    own = {"heartbeats": kind, "heartbeat_s": heartbeat_s, "max_poll_records": batch}
    found = []
    for seed in range(seeds):
        offset_s = (seed + 0.5) / seeds
        settings = {**GROUP, **own, "decision_offset_s": offset_s, "seed": seed}
        result = simulate(rates, STRATEGY, settings=settings)
        # A group that serves events has both.
        found.append(Tail(float(result.sla_percent or 0.0), float(result.max or 0.0)))
    return found


def rows(rates: Floats, seeds: int = SEEDS) -> Iterator[Row]:
    """Rows of the table: heartbeats, events of a batch, and a cell for each way to learn."""
    for heartbeat_s, batch in product(HEARTBEATS_S, BATCHES):
        cells = (_cell(tails(rates, kind, heartbeat_s, batch, seeds)) for kind in HEARTBEATS)
        yield f"{heartbeat_s:g} s", f"{batch}", *cells


def _cell(found: Sequence[Tail]) -> str:
    """Medians; of the longest waits also the range."""
    in_time, longest = (np.array(column) for column in zip(*found, strict=True))
    ends = f"{longest.min():.2f} to {longest.max():.2f}"
    return f"{np.median(longest):.2f} ({ends}); {np.median(in_time):.1f}"


def _total(files: Sequence[str]) -> Floats:
    return traces.read(Path(files[0])).rates[:, 0] if files else three_peaks(SECONDS)


def main(files: Sequence[str]) -> None:
    """Print the table as Markdown."""
    print("| heartbeat | batch |", " | ".join(f"`{kind}`" for kind in HEARTBEATS), "|")
    print("|---" * (len(HEARTBEATS) + 2) + "|")
    for row in rows(split(_total(files), PARTITIONS)):
        print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main(sys.argv[1:])
