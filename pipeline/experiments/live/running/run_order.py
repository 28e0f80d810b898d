"""In which order the strategies of an experiment run on a stream."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.core.seeds import derive_seed
from live.strategy_kinds import is_asking


def ordered(strategies: Sequence[str], seed: int) -> list[str]:
    """Strategies in the order in which they run on a stream.

    seed: Of the stream.
    Returns: As they are written; in an order that the seed draws if some are groups whose assignor
        asks, so that what changes on the machine from one run to the next favours none of them.
    """
    if not any(map(is_asking, strategies)):
        return list(strategies)
    return sorted(strategies, key=lambda strategy: derive_seed(seed, "order", strategy))
