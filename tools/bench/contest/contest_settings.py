"""Settings of the contest, and the strategies with their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling.candidates import Candidate, candidate, sweep
from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.core.group_declarations import PROTOCOLS
from algorithms.simulation.group_settings import PAPER_GROUP

MU, WSLA_S = 200.0, 0.5
OURS, RIVAL = "shadow_hedge", "headroom+placement"
MARGINS = (0.7, 0.85, 1.0, 1.15, 1.35, 1.6, 2.0, 2.5)
HOLDS_S = (3.0, 10.0, 30.0, 90.0)
"""Parameters of ``headroom``, with and without placement: all pairs."""

LATE_PRICES = tuple(round(float(w), 6) for w in np.geomspace(0.002, 20.0, 12))
"""Values of ``w`` of ``shadow_hedge``: as many as parameters of others are picked at most."""


class Setting(NamedTuple):
    """One setting of the group and its partitions."""

    rebalance_s: float
    protocol: str
    startup_s: float
    burst: bool
    skewed: bool
    partitions: int

    @property
    def group(self) -> dict[str, Any]:
        """Settings of the group, for `algorithms.simulation.simulate`."""
        return {
            **PAPER_GROUP,
            "mu": MU,
            "wsla_s": WSLA_S,
            "assignor": "sticky",
            "rebalance_s": self.rebalance_s,
            "protocol": self.protocol,
            "startup_s": self.startup_s,
            "arrivals": "burst" if self.burst else "uniform",
        }

    @property
    def label(self) -> str:
        """The setting in words."""
        arrivals, split = "burst" if self.burst else "even", "skew" if self.skewed else "equal"
        return (
            f"{arrivals} {split}, {self.protocol} {self.rebalance_s:g} s, start-up "
            f"{self.startup_s:g} s, P = {self.partitions}"
        )


def settings(equal: int = 5, skewed: int = 9) -> Iterator[Setting]:
    """All 48 settings, with the given numbers of equal and of skewed partitions."""
    axes = product((0.05, 1.0), PROTOCOLS, (0.0, 10.0), (True, False), (False, True))
    for rebalance_s, protocol, startup_s, burst, skew in axes:
        partitions = skewed if skew else equal
        yield Setting(rebalance_s, protocol, startup_s, burst, skew, partitions)


def competitors(partitions: int) -> list[Candidate]:
    """Every strategy with its parameters: its sweep, or finer ones for the leading strategies."""
    pairs = [{"h": h, "hold": hold} for h, hold in product(MARGINS, HOLDS_S)]
    grids = [candidate(name, **pair) for name in ("headroom", RIVAL) for pair in pairs]
    own = [candidate(OURS, w=w) for w in LATE_PRICES]
    others = [name for name in COMPARED if name not in ("headroom", RIVAL, OURS)]
    swept = [each for name in others for each in sweep(name, partitions, MU, WSLA_S)]
    return list(dict.fromkeys([*grids, *own, *swept]))
