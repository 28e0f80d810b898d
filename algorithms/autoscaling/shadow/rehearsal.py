"""What the experts would have cost on a generated load, before the first decision.

Experts that have seen nothing are equals, and the first minutes would be those of a bad expert. So
they first run on 1800 decisions of a load whose level drifts and jumps, with Poisson counts. It is
the same for every group, in parts of the greatest rate that the group can serve.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.shadow import hedge
from algorithms.autoscaling.shadow.hedge import Hedge
from algorithms.autoscaling.shadow.learned_late_events import Learned
from algorithms.autoscaling.shadow.shadow_groups import Prices
from algorithms.core import keyed_draws
from algorithms.core.arrays import Floats
from algorithms.core.compiled import kernel
from algorithms.core.seeds import derive_seed

DECISIONS, IGNORED = 1800, 300
"""Decisions of the rehearsal, and those at its start whose losses do not count."""

STRENGTH_S = 100.0
"""The experts start with what this time of the rehearsal cost them."""

DEAR = 0.3
"""Price of a late event above which it is longer, in proportion."""

REMEMBERED = 3.0
"""Observations that what planners learned about a rate counts for."""

PEAK = 0.8
"""Greatest mean rate, as a share of what all replicas can serve."""

_KIND = 11
_SEED = derive_seed(0, "shadow rehearsal")
_JUMPS, _DRIFTS = 1.0 / 600.0, 1.0 / 200.0
"""Chances per second of a new level, at once or slowly."""

_SLOWNESS_S = 60.0
_LOWEST = 0.1


def rehearsed(group: Group, prices: Prices) -> Hedge:
    """Experts before their first decision, with the losses of the rehearsal. Always the same."""
    # Nothing in it depends on the seed or the rates: streams of one experiment share it.
    losses, learned = _rehearsal(group._replace(seed=0, peaks=None, means=None), prices)
    result = hedge.create(group, prices)
    result.shadows.losses[:] = losses
    result.planners.learned.expected[:] = learned.expected
    result.planners.learned.observations[:] = np.minimum(learned.observations, REMEMBERED)
    return result


@lru_cache(maxsize=32)
def _rehearsal(group: Group, prices: Prices) -> tuple[Floats, Learned]:
    rehearsing = hedge.create(group, prices)
    counts = np.zeros(max(round(group.decision_s / group.step_s), 1))
    at_start = np.zeros(hedge.EXPERTS)
    peak = PEAK * float(rehearsing.levels.enough[-1])
    _rehearse(rehearsing, counts, peak, at_start)
    time = (DECISIONS - IGNORED) * group.decision_s
    strength = STRENGTH_S * max(1.0, prices.late / DEAR)
    losses = (rehearsing.shadows.losses - at_start) * (strength / time)
    return losses, rehearsing.planners.learned


@kernel
def _rehearse(experts: Hedge, counts: Floats, peak: float, at_start: Floats) -> None:
    changes, level, target = _JUMPS + _DRIFTS, 0.5, 0.5
    step_s = experts.service.step_s
    row = 0
    for decision in range(DECISIONS):
        if decision == IGNORED:
            for e in range(at_start.shape[0]):
                at_start[e] = experts.shadows.losses[e]
        total = 0.0
        for i in range(counts.shape[0]):
            if _draw(row, 0) < changes * step_s:
                target = _LOWEST + (1.0 - _LOWEST) * _draw(row, 1)
                level = target if _draw(row, 2) * changes < _JUMPS else level
            level += (target - level) * min(step_s / _SLOWNESS_S, 1.0)
            mean = peak * level * step_s
            counts[i] = keyed_draws.poisson(keyed_draws.key(_SEED, _KIND, row, 6), mean)
            total += counts[i]
            row += 1
        hedge.decide(experts, total / experts.decision_s, counts, 0.0, 0)


@kernel
def _draw(row: int, column: int) -> float:
    return keyed_draws.unit(keyed_draws.key(_SEED, _KIND, row, column))
