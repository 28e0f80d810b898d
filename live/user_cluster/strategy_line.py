"""What a strategy would do now, and how that differs from its step before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.arrays import Floats

NOBODY = -1


@dataclass(frozen=True, slots=True)
class StrategyLine:
    """State of a strategy after a step."""

    name: str
    """Name of the strategy."""
    consumers: int = 0
    """Consumers that it wants."""
    owners: tuple[int, ...] = ()
    """Consumer by partition, -1 for none."""
    steps: int = 0
    """Steps so far."""
    moves: int = 0
    """Partitions that went from one consumer to another in the last step."""
    moved: float = 0.0
    """Their share of the whole rate, 0 to 1."""
    moves_in_all: int = 0
    """Moves of all steps."""

    def after(self, owners: Sequence[int], consumers: int, rates: Floats) -> StrategyLine:
        """The line after a step. Owners: -1 for none; rates: NaN where not known."""
        before = self.owners or (NOBODY,) * len(owners)
        pairs = zip(before, owners, strict=True)
        has_moved = np.array([old not in (NOBODY, new) and new != NOBODY for old, new in pairs])
        total, moves = np.nansum(rates), int(has_moved.sum())
        return replace(
            self,
            consumers=consumers,
            owners=tuple(owners),
            steps=self.steps + 1,
            moves=moves,
            moved=float(np.nansum(rates[has_moved]) / total) if total else 0.0,
            moves_in_all=self.moves_in_all + moves,
        )


def values_of(by_partition: dict[int, float], partitions: int) -> Floats:
    """Values in the order of partitions, NaN where there is none."""
    return np.array([by_partition.get(p, np.nan) for p in range(partitions)])
