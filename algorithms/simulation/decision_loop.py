"""The loop over decisions, compiled once for all strategies."""

from __future__ import annotations

from typing import Any

from algorithms.autoscaling.dispatch import COUNT, MISSING, SEEING, Seen
from algorithms.core.arrays import Floats
from algorithms.core.compiled import kernel
from algorithms.simulation import called_decisions, incident_sights, instants
from algorithms.simulation.called_decisions import Called, ask
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import ASKED, NO_ANSWER, NOW, STEP, State
from algorithms.simulation.incident_state import BLIND
from algorithms.simulation.latency_segments import Latencies


@kernel
def _run(called: Called, rules: Rules, rates: Floats, state: State, latencies: Latencies) -> None:
    if state.counters[STEP] == 0:
        instants.start(rules, state)
    observed, partitions = state.observed, state.partitions
    consumed = state.commits.advanced if rules.commit_s > 0.0 else partitions.consumed
    while instants.next_decision(rules, rates, state, latencies):
        blind = state.incidents.counts[BLIND]
        incident_sights.see(called.knows_blindness, rules, rates, consumed, state)
        if blind == MISSING and not called.knows_blindness:
            instants.answer(NO_ANSWER, COUNT, rules, state)
            continue
        seen = Seen(
            state.clock[NOW],
            state.counters[STEP],
            observed.lags,
            observed.rates,
            partitions.owners,
            state.counters[ASKED],
            consumed if blind == SEEING else state.incidents.sight.consumed,
            observed.counts,
            blind,
            state.incidents.sight.arrived,
        )
        replicas, kind = ask(called.decision, called.state.ctypes.data, seen, observed.answer)
        instants.answer(replicas, kind, rules, state)


def run(strategy: Any, rules: Rules, rates: Floats, state: State, latencies: Latencies) -> None:
    """Run a group until its lag is drained, from time 0 or from the end of an earlier step.

    strategy: State of a strategy before its first decision; changed.
    rates: float64[N, P], rates of all steps, events/s.
    latencies: Gets the waits of all events that depart.
    """
    _run(called_decisions.called(strategy), rules, rates, state, latencies)
