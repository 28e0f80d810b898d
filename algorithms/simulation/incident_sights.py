"""What strategies and autoscalers read of a group that is blind."""

from __future__ import annotations

from algorithms.autoscaling.dispatch import MISSING, PARTITION, SEEING, STALE, ZERO
from algorithms.core.arrays import Bools, Floats
from algorithms.core.compiled import inner
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import STEP, Observed, State
from algorithms.simulation.incident_state import BLIND, COUNTED, IS_READ, Sight


@inner
def change(blind: int, state: State) -> None:
    """Change what is read from now on; where nothing was read before, nothing stays the same."""
    counts = state.incidents.counts
    counts[BLIND] = MISSING if blind == STALE and counts[IS_READ] == 0 else blind


@inner
def see(knows: bool, rules: Rules, rates: Floats, consumed: Bools, state: State) -> None:
    """Replace what is observed at a decision by what is read.

    knows: Whether the strategy takes rates and counts from what is true, by rules of its own.
    """
    blind = state.incidents.counts[BLIND]
    observed, sight = state.observed, state.incidents.sight
    if blind != SEEING:
        count_arrivals(knows, rules, rates, state)
        for p in range(observed.lags.shape[0]):
            sight.consumed[p] = blind == PARTITION and consumed[p]
    if blind == PARTITION:
        _miss_last(knows, rules, rates, state)
    elif blind != SEEING:
        _hide(blind, knows, observed, sight)
    if blind != MISSING:
        state.incidents.counts[IS_READ] = 1
        _keep(observed, sight)


@inner
def _miss_last(knows: bool, rules: Rules, rates: Floats, state: State) -> None:
    """Leave the last partition out; of a strategy that knows, only its lag is not read."""
    observed, sight = state.observed, state.incidents.sight
    last = observed.lags.shape[0] - 1
    if knows:
        observed.lags[last] = sight.lags[last]
        return
    # KEDA's Kafka trigger counts a partition without an offset, whether it is consumed or not.
    sight.consumed[last] = True
    observed.lags[last] = observed.rates[last] = 0.0
    first = state.counters[STEP] - (0 if rules.observes_now else rules.window)
    for k in range(observed.counts.shape[0]):
        total = 0.0
        for p in range(last):
            total += rates[first + k, p]
        observed.counts[k] = total * rules.step_s


@inner
def _hide(blind: int, knows: bool, observed: Observed, sight: Sight) -> None:
    """Show zeros, or what was read last."""
    for p in range(observed.lags.shape[0]):
        observed.lags[p] = 0.0 if blind == ZERO else sight.lags[p]
        if not knows:
            observed.rates[p] = 0.0 if blind == ZERO else sight.rates[p]
    if not knows:
        for k in range(observed.counts.shape[0]):
            observed.counts[k] = 0.0 if blind == ZERO else sight.counts[k]


@inner
def _keep(observed: Observed, sight: Sight) -> None:
    for p in range(observed.lags.shape[0]):
        sight.lags[p], sight.rates[p] = observed.lags[p], observed.rates[p]
    for k in range(observed.counts.shape[0]):
        sight.counts[k] = observed.counts[k]


@inner
def count_arrivals(knows: bool, rules: Rules, rates: Floats, state: State) -> None:
    """Count what has arrived until the step began: while it is hidden, what was read last stays."""
    counts, arrived = state.incidents.counts, state.incidents.sight.arrived
    if not knows and (counts[BLIND] == STALE or counts[BLIND] == ZERO):
        return
    while counts[COUNTED] < state.counters[STEP]:
        for p in range(arrived.shape[0]):
            arrived[p] += rates[counts[COUNTED], p] * rules.step_s
        counts[COUNTED] += 1
