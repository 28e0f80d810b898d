"""Replicas by a trained network, greedily."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling import totals
from algorithms.autoscaling.dispatch import Seen, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.trained import group_inputs, trained_policy
from algorithms.autoscaling.trained.group_inputs import Capacity, Rates
from algorithms.autoscaling.trained.trained_policy import ACTIONS, PolicyName
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel
from algorithms.core.input_errors import InvalidParameterError

_DECIDED, _CHANGED = 0, 1
_TARGET, _DELTA, _RESIDUAL = range(len(ACTIONS))
_UNKNOWN = -1


class Dqn(NamedTuple):
    """State of the strategy ``dqn``."""

    partitions: int
    capacity: Capacity
    """What the group can serve."""
    rates: Rates
    """Rates of the last minute."""
    times: Floats
    """float64[2]: times of the last decision, and of the one that changed the number of replicas,
    seconds."""
    replicas: Longs
    """int64[1]: replicas at the last decision, -1 before the first."""
    layers: Longs
    """int64[L]: sizes of the network's layers."""
    weights: Floats
    """float64[W]: all its weights: matrices by row and biases, layer by layer."""
    units: Floats
    """float64[2, U]: space for two layers."""
    action: int
    """Place in `trained_policy.ACTIONS`."""


def start(group: Group, *, policy: PolicyName) -> Dqn:
    """Start ``dqn``: the number of replicas to which a trained network gives the highest value.

    group: The group, with as many partitions as the policy was trained for, and a decision each
        second. Rates are scaled by its ``mu``, so that may differ.
    policy: The network; see `algorithms.autoscaling.trained.group_inputs` for what it observes.
    Raises InvalidParameterError if the group is of another kind, or the network does not fit.

    In float64; of equal values the first counts. O(P^2 + W) for W weights.
    """
    trained = trained_policy.check_policy(policy.policy)
    if trained.partitions != group.partitions:
        raise InvalidParameterError(
            f"the policy {policy} is for {trained.partitions} partitions (the group has "
            f"{group.partitions}); train one for that many"
        )
    layers = trained_policy.layers_of(trained.weights)
    return Dqn(
        partitions=group.partitions,
        capacity=group_inputs.capacity_of(group),
        rates=group_inputs.no_rates(),
        times=np.zeros(2),
        replicas=np.full(1, _UNKNOWN, np.int64),
        layers=np.array(layers),
        weights=np.concatenate([weight.ravel() for weight in trained.weights]).astype(np.float64),
        units=np.zeros((2, max(layers))),
        action=ACTIONS.index(trained.action),
    )


@decides(Dqn)
@kernel
def _decide(state: Dqn, seen: Seen, after: Longs) -> tuple[int, int]:
    _note_change(state, seen)
    group_inputs.record(state.rates, totals.total(seen.rates))
    group_inputs.fill(
        state.units[0],
        state.capacity,
        state.rates,
        group_inputs.greatest_lag(seen),
        seen.replicas,
        seen.time - state.times[_CHANGED],
    )
    best = _best_output(state.layers, state.weights, state.units)
    if state.action == _TARGET:
        return best + 1, 0
    base = seen.replicas
    if state.action == _RESIDUAL:
        recent = group_inputs.peak(state.rates, group_inputs.RECENT_PEAK_S)
        base = group_inputs.fewest(state.capacity, recent)
    return min(max(base + best - 1, 1), state.partitions), 0


@kernel
def _note_change(state: Dqn, seen: Seen) -> None:
    """Keep when the replicas changed: at the decision before they are seen to differ."""
    if state.replicas[0] == _UNKNOWN:
        state.times[_CHANGED] = seen.time - 1.0
    elif state.replicas[0] != seen.replicas:
        state.times[_CHANGED] = state.times[_DECIDED]
    state.times[_DECIDED] = seen.time
    state.replicas[0] = seen.replicas


@kernel
def _best_output(layers: Longs, weights: Floats, units: Floats) -> int:
    """Output with the highest value, from the inputs in the first row of `units`. O(W)."""
    last, place, row = layers.shape[0] - 2, 0, 0
    for layer in range(last + 1):
        inputs, outputs = layers[layer], layers[layer + 1]
        biases = place + inputs * outputs
        for j in range(outputs):
            value = 0.0
            for i in range(inputs):
                value += units[row, i] * weights[place + i * outputs + j]
            value += weights[biases + j]
            units[1 - row, j] = value if layer == last else max(value, 0.0)
        place, row = biases + outputs, 1 - row
    best = 0
    for j in range(1, layers[last + 1]):
        if units[row, j] > units[row, best]:
            best = j
    return best
