"""The loop over decisions, compiled once for all strategies."""

from __future__ import annotations

from typing import Any

from algorithms.autoscaling.dispatch import COUNT, MISSING, SEEING, Seen
from algorithms.core.arrays import Bools, Floats
from algorithms.core.compiled import inner, inner_inlined, kernel
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
    commits = rules.commit_s > 0.0
    consumed = state.commits.advanced if commits else state.partitions.consumed
    while instants.next_decision(rules, rates, state, latencies):
        if called.follows_arrivals:
            incident_sights.count_arrivals(called.knows_blindness, rules, rates, state)
        if rules.incidents.shape[0] > 0:
            replicas, kind = _ask_in_incidents(called, rules, rates, consumed, state)
        else:
            replicas, kind = _ask(called, consumed, SEEING, state)
        instants.answer(replicas, kind, rules, state)


@inner
def _ask_in_incidents(
    called: Called, rules: Rules, rates: Floats, consumed: Bools, state: State
) -> tuple[int, int]:
    """Ask a strategy whose group may be blind; it answers nothing while it has no metric."""
    blind = state.incidents.counts[BLIND]
    incident_sights.see(called.knows_blindness, rules, rates, consumed, state)
    if blind == MISSING and not called.knows_blindness:
        return NO_ANSWER, COUNT
    seen = consumed if blind == SEEING else state.incidents.sight.consumed
    replicas, kind = _ask(called, seen, blind, state)
    return replicas, kind


@inner_inlined
def _ask(called: Called, consumed: Bools, blind: int, state: State) -> tuple[int, int]:
    observed = state.observed
    seen = Seen(
        state.clock[NOW],
        state.counters[STEP],
        observed.lags,
        observed.rates,
        state.partitions.owners,
        state.counters[ASKED],
        consumed,
        observed.counts,
        blind,
        state.incidents.sight.arrived,
    )
    replicas, kind = ask(called.decision, called.state.ctypes.data, seen, observed.answer)
    return replicas, kind


def run(strategy: Any, rules: Rules, rates: Floats, state: State, latencies: Latencies) -> None:
    """Run a group until its lag is drained, from time 0 or from the end of an earlier step.

    strategy: State of a strategy before its first decision; changed.
    rates: float64[N, P], rates of all steps, events/s.
    latencies: Gets the waits of all events that depart.
    """
    _run(called_decisions.called(strategy), rules, rates, state, latencies)
