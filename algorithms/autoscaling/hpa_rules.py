"""The rules of Kubernetes' horizontal pod autoscaler, compiled: proposal, stabilisation, limits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import recent_values
from algorithms.autoscaling.number_checks import check_number
from algorithms.autoscaling.recent_values import Recent
from algorithms.autoscaling.scaling_policies import SELECTS, Behaviour, check_behaviour, table
from algorithms.core.arrays import Floats, Longs, check_count
from algorithms.core.compiled import inner, kernel

MOST = 2**31 - 1
"""Greatest number of replicas."""

_ENTRIES = 64
_TYPE, _VALUE, _PERIOD = 0, 1, 2
_PODS = 0
_MAX, _MIN, _DISABLED = 0, 1, 2
_PERCENT = 100.0


class Controller(NamedTuple):
    """State of the autoscaler."""

    proposals: Recent
    changes: Recent
    """`proposals`, `changes`: raw proposals, and changes of the number of replicas, with their
    times."""
    synced: Longs
    """int64[1]: whether there was a sync."""
    up: Floats
    down: Floats
    """`up`, `down`: float64[..., 3]: policies of each direction; see
    `algorithms.autoscaling.scaling_policies.table`."""
    up_select: int
    down_select: int
    """`up_select`, `down_select`: places in `algorithms.autoscaling.scaling_policies.SELECTS`."""
    up_window: float
    down_window: float
    window: float
    period: float
    """`up_window`, `down_window`, `window`, `period`: stabilisation windows and the longer of them;
    the longest period of a policy; seconds."""
    min_replicas: int
    max_replicas: int
    target: float
    tolerance_up: float
    tolerance_down: float
    """`min_replicas`, `max_replicas`, `target`, `tolerance_up`, `tolerance_down`: the arguments of
    `algorithms.autoscaling.hpa.HorizontalPodAutoscaler`."""


def create(
    min_replicas: int,
    max_replicas: int,
    target: float,
    tolerance_up: float,
    tolerance_down: float,
    scale_up: Behaviour,
    scale_down: Behaviour,
) -> Controller:
    """State before the first sync; arguments as for `hpa.HorizontalPodAutoscaler`."""
    up = check_behaviour("scale_up", scale_up, np.inf)
    down = check_behaviour("scale_down", scale_down, _PERCENT)
    most = check_count("max_replicas", max_replicas, 1, MOST)
    return Controller(
        proposals=recent_values.create(_ENTRIES),
        changes=recent_values.create(_ENTRIES),
        synced=np.zeros(1, np.int64),
        up=table(up),
        down=table(down),
        up_select=SELECTS.index(up.select),
        down_select=SELECTS.index(down.select),
        up_window=up.window_s,
        down_window=down.window_s,
        window=max(up.window_s, down.window_s),
        period=max((policy.period_s for policy in (*up.policies, *down.policies)), default=0.0),
        min_replicas=check_count("min_replicas", min_replicas, 0, most),
        max_replicas=most,
        target=check_number("target", target, above=0.0),
        tolerance_up=check_number("tolerance_up", tolerance_up, at_least=0.0),
        tolerance_down=check_number("tolerance_down", tolerance_down, at_least=0.0),
    )


def sized(controller: Controller, sync_s: float) -> Controller:
    """The same state before the first sync, with room for all entries if syncs are `sync_s` apart.

    Entries are lost only if syncs come more often.

    Raises InvalidParameterError if there are too many.
    """
    return controller._replace(
        proposals=recent_values.covering(
            "window_s of scale_up and scale_down", controller.window, sync_s
        ),
        changes=recent_values.covering(
            "period_s of scale_up and scale_down", controller.period, sync_s
        ),
    )


@kernel
def sync(controller: Controller, time: float, metric: float, replicas: int) -> tuple[int, int]:
    """Proposed and desired number of replicas; see `algorithms.autoscaling.hpa`."""
    recent_values.forget(controller.proposals, time, controller.window)
    recent_values.forget(controller.changes, time, controller.period)
    if controller.synced[0] == 0:
        controller.synced[0] = 1
        recent_values.record(controller.proposals, time, float(replicas))
    bound = min(max(replicas, controller.min_replicas), controller.max_replicas)
    proposed, desired = bound, bound
    if bound == replicas:
        proposed = _propose(controller, metric, replicas)
        desired = _limit(
            controller, time, _stabilise(controller, time, proposed, replicas), replicas
        )
        recent_values.record(controller.proposals, time, float(proposed))
    if desired != replicas:
        recent_values.record(controller.changes, time, float(desired - replicas))
    return proposed, desired


@inner
def _propose(controller: Controller, metric: float, replicas: int) -> int:
    # Without replicas the ratio is infinite, or NaN: outside in both cases.
    ratio = metric / (controller.target * replicas)
    if 1.0 - controller.tolerance_down <= ratio <= 1.0 + controller.tolerance_up:
        return replicas
    # The remainder is exact, so the quotient of the rest is an integer up to rounding.
    rest = metric % controller.target
    whole = int(np.floor((metric - rest) / controller.target + 0.5))
    return min(whole + (1 if rest > 0.0 else 0), MOST)


@inner
def _stabilise(controller: Controller, time: float, proposed: int, replicas: int) -> int:
    proposals = controller.proposals
    lo = recent_values.least(proposals, time, controller.up_window, float(proposed))
    hi = recent_values.greatest(proposals, time, controller.down_window, float(proposed))
    return min(max(replicas, int(lo)), int(hi))


@inner
def _limit(controller: Controller, time: float, stable: int, replicas: int) -> int:
    changes = controller.changes
    if stable > replicas:
        highest = _allowed(changes, time, replicas, controller.up, controller.up_select, 1)
        return min(stable, max(highest, replicas), controller.max_replicas)
    if stable < replicas:
        lowest = _allowed(changes, time, replicas, controller.down, controller.down_select, -1)
        return max(stable, min(lowest, replicas), controller.min_replicas)
    return stable


@inner
def _allowed(
    changes: Recent, time: float, replicas: int, policies: Floats, select: int, sign: int
) -> int:
    """Replicas that the policies of one direction allow; `sign` is 1 upwards and -1 downwards."""
    if select == _DISABLED:
        return replicas
    result = 0.0
    for i in range(policies.shape[0]):
        policy = policies[i]
        start = replicas - recent_values.balance(changes, time, policy[_PERIOD])
        limit = start + sign * policy[_VALUE]
        if policy[_TYPE] != _PODS:
            limit = start * (1.0 + sign * policy[_VALUE] / _PERCENT)
            # Downwards a conversion drops the fraction, as in the original.
            limit = np.ceil(limit) if sign > 0 else float(int(limit))
        if i == 0 or (sign * limit > sign * result) == (select == _MAX):
            result = limit
    return int(min(max(result, -float(MOST)), float(MOST)))
