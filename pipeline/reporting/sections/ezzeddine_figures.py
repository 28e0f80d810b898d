"""What Ezzeddine et al. 2024 print on their strategies, for all families that compare with it.

Algorithms 1 and 2 and the reference "Linear" ran on a Kubernetes cluster. Optimal and
Overprovisioning are the authors' own computations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

EZZEDDINE: Final = (
    "Ezzeddine, Baude, Huet: Tail-Latency Aware and Resource-Efficient Bin Pack Autoscaling for"
    " Distributed Event Queues, CLOSER 2024"
)

FIRST, SECOND, LINEAR = "Algorithm 1", "Algorithm 2", "Linear"
OPTIMAL, OVERPROVISIONING = "Optimal", "Overprovisioning"

FIXED: Final = "the number of replicas is fixed"
"""Why what Overprovisioning does is by construction."""


class PrintedRun(NamedTuple):
    """Figures of a strategy on a workload, as printed; empty where none is."""

    sla: str = ""
    """Events within 0.5 s, %."""
    minutes: str = ""
    """Replica-minutes."""
    up: str = ""
    down: str = ""
    """`up`, `down`: scalings."""
    maximum: str = ""
    """Maximum latency, s."""


TITLES: Final[Mapping[str, tuple[str, str]]] = {
    "sla": ("events within 0.5 s", "%"),
    "minutes": ("replica-minutes", "min"),
    "up": ("scalings up", ""),
    "down": ("scalings down", ""),
    "maximum": ("maximum latency", "s"),
}
"""Name and unit of each field of `PrintedRun`."""

Runs = Mapping[str, PrintedRun]
"""Printed figures by strategy."""

TABLE_2: Final[Runs] = {
    SECOND: PrintedRun("97.4", "30.21", "6", "6"),
    LINEAR: PrintedRun("94.7", "25.5", "6", "6"),
    OPTIMAL: PrintedRun("100", "32.7", "6", "6"),
    OVERPROVISIONING: PrintedRun("100", "50", "0", "0"),
}
"""Workload 1, 5 equal partitions."""

TABLE_3: Final[Runs] = {
    SECOND: PrintedRun("98.9", "402.9", "20", "16", "around 3"),
    LINEAR: PrintedRun("95.4", "325.7", "23", "20"),
    OPTIMAL: PrintedRun("100", "414.11", "20", "16"),
    OVERPROVISIONING: PrintedRun("100", "600", "0", "0"),
}
"""Workload 2, 5 equal partitions; the maximum is in Section 5.2."""

LINEAR_IN_TEXT: Final = PrintedRun("93.9")
"""Workload 1 in Section 5.1, where Table 2 has another figure."""

SKEWED_1: Final[Runs] = {
    SECOND: PrintedRun("98.9", "29.8"),
    LINEAR: PrintedRun("84.7", "25.5"),
}
SKEWED_2: Final[Runs] = {
    SECOND: PrintedRun("99.08", "392.15"),
    LINEAR: PrintedRun("85.9", "329.7"),
}
"""`SKEWED_1`, `SKEWED_2`: both workloads on 9 skewed partitions, Section 5.1."""

SOONER_1: Final = PrintedRun("98.1", maximum="< 1")
SOONER_2: Final = PrintedRun("99.07", maximum="< 1")
"""`SOONER_1`, `SOONER_2`: Algorithm 2 with heartbeats of 0.5 s on both workloads, Section 5.2."""

SLOW_REBALANCES: Final[Mapping[float, Runs]] = {
    0.5: {FIRST: PrintedRun("90.1", "33.85"), SECOND: PrintedRun("98.2", "34.61")},
    2.0: {
        FIRST: PrintedRun("85.6 (85.4 in the section before)", "34.16"),
        SECOND: PrintedRun("99.4", "44.7"),
    },
}
"""Both algorithms on workload 1 by the time t_r that a rebalance takes, s; Section 5.3."""

MU: Final = 200.0
"""Events that a consumer serves per second in the paper."""

_HEARTBEAT_S, _SOONER_S, _REBALANCE_S = 3.0, 0.5, 0.05
"""Heartbeats of the paper, and its usual time of a rebalance, s."""

SPLITS: Final[Mapping[str, int]] = {"equal": 5, "skew": 9}
"""Partitions of each split of the paper."""


class Repeated(NamedTuple):
    """Printed rows, and where they stand."""

    place: str
    runs: Runs
    """By strategy, in the paper's words."""


def printed_rows(
    workload: str, split: str, partitions: int, heartbeat_s: float, rebalance_s: float
) -> Repeated | None:
    """Printed rows of a setting; None if it is no setting of the paper.

    workload: ``W1`` or ``W2``, as the paper numbers them.
    """
    if SPLITS.get(split) != partitions:
        return None
    return _ROWS.get((workload, split, heartbeat_s, rebalance_s))


def _rows_of(
    workload: str, place: str, table: Runs, skewed: Runs, sooner: Runs
) -> dict[tuple[str, str, float, float], Repeated]:
    return {
        (workload, "equal", _HEARTBEAT_S, _REBALANCE_S): Repeated(place, table),
        (workload, "skew", _HEARTBEAT_S, _REBALANCE_S): Repeated("Section 5.1", skewed),
        (workload, "equal", _SOONER_S, _REBALANCE_S): Repeated("Section 5.2", sooner),
    }


_ROWS = {
    **_rows_of("W1", "Table 2", TABLE_2, SKEWED_1, {SECOND: SOONER_1}),
    **_rows_of("W2", "Table 3", TABLE_3, SKEWED_2, {SECOND: SOONER_2}),
    **{
        ("W1", "equal", _HEARTBEAT_S, seconds): Repeated("Section 5.3", runs)
        for seconds, runs in SLOW_REBALANCES.items()
    },
}
"""Printed rows by workload, split, heartbeat and time of a rebalance."""
