"""The group from one instant to the next: steps, group events, decisions and bursts.

At one instant, group events come first, then the decision, then the burst.
"""

from __future__ import annotations

from algorithms.autoscaling.dispatch import PARTITION, SEEING
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inner, inner_inlined
from algorithms.simulation import (
    commits,
    fair_service,
    first_in_first_out,
    heartbeats,
    incident_instants,
    partition_moves,
    placing,
    rebalancing,
    rounding,
    service_rates,
)
from algorithms.simulation.fair_service import Shift
from algorithms.simulation.first_in_first_out import Span
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import (
    ARRIVED,
    ASKED,
    BEGUN,
    COUNT,
    DECIDED,
    DUE,
    HAPPENS,
    LAG,
    LAG_AT_END,
    LATE_SO_FAR,
    LONGEST_WAIT,
    MEMBERS,
    NO_ANSWER,
    NOW,
    PAID,
    PAID_AT_END,
    PAID_TIME,
    PEAK_LAG,
    PHASE,
    REPLICA_SECONDS,
    SAME_INSTANT_S,
    SERVED_SO_FAR,
    SETTLED,
    STALLED,
    STALLED_SECONDS,
    STALLED_TIME,
    STEP,
    WAITING,
    WAITING_KIND,
    Partitions,
    State,
)
from algorithms.simulation.incident_state import BLIND
from algorithms.simulation.latency_segments import LATE, MASS, Latencies, start_step


@inner
def start(rules: Rules, state: State) -> None:
    """Place the partitions on the members at time 0."""
    placing.place_first(rules, state)
    partition_moves.own_first(state)
    commits.start(rules, state)
    heartbeats.start(rules, state)
    service_rates.set_speeds(rules, state)


@inner_inlined
def next_decision(rules: Rules, rates: Floats, state: State, latencies: Latencies) -> bool:
    """Advance to the next decision, or to the end; return whether there is a decision to make."""
    clock, counters, figures = state.clock, state.counters, state.figures
    while _goes_on(rules, clock, counters, figures):
        if clock[HAPPENS] <= clock[NOW] + SAME_INSTANT_S:
            incident_instants.happen(rules, rates, state)
        if clock[DUE] <= clock[NOW] + SAME_INSTANT_S:
            rebalancing.settle_due(rules, rates, state)
        if _has_to_decide(rules, clock, counters):
            counters[DECIDED] = 1
            if clock[NOW] - clock[BEGUN] >= rules.cooldown_s - SAME_INSTANT_S:
                _observe(rules, rates, state)
                return True
        if counters[ARRIVED] == 0:
            counters[ARRIVED] = 1
            if rules.burst and counters[STEP] < rules.steps:
                _add_burst(rules, rates[counters[STEP]], state.partitions, counters, figures)
        until = _next_instant(rules, clock, counters)
        _advance(until, rules, rates, state, latencies)
        if until == _end_of_step(rules, counters[STEP]):
            _close_step(rules, state, latencies)
    return False


@inner_inlined
def answer(count: int, kind: int, rules: Rules, state: State) -> None:
    """Take a strategy's answer: begin its action, or let it wait until the group has settled."""
    counters, plan = state.counters, state.plan
    if state.incidents.counts[BLIND] in (SEEING, PARTITION):
        if rules.commit_s > 0.0:
            state.commits.advanced[:] = False
        else:
            state.partitions.consumed[:] = False
    if count == NO_ANSWER:
        return
    clipped = min(max(count, rules.min_replicas), rules.max_replicas)
    counters[ASKED] = clipped
    counters[WAITING] = clipped
    counters[WAITING_KIND] = kind if clipped == count else COUNT
    for p in range(plan.waiting.shape[0]):
        plan.waiting[p] = state.observed.answer[p]
    if counters[PHASE] == SETTLED:
        rebalancing.begin_waiting(rules, state)


@inner_inlined
def _goes_on(rules: Rules, clock: Floats, counters: Longs, figures: Floats) -> bool:
    """Whether a step is left, or lag to drain."""
    drains = figures[LAG] > 0.0 and clock[NOW] < rules.drained_s
    return bool(counters[STEP] < rules.steps or drains)


@inner_inlined
def _has_to_decide(rules: Rules, clock: Floats, counters: Longs) -> bool:
    step = counters[STEP]
    if counters[DECIDED] == 1 or step >= rules.steps or step % rules.window != 0:
        return False
    if step == 0 and not rules.observes_now:
        return False
    return bool(clock[NOW] >= step * rules.step_s + rules.offset_s - SAME_INSTANT_S)


@inner_inlined
def _observe(rules: Rules, rates: Floats, state: State) -> None:
    """Fill in what the strategy sees."""
    step, lags, observed = state.counters[STEP], state.partitions.lags, state.observed
    first = step if rules.observes_now else step - rules.window
    window = observed.counts.shape[0]
    observed.rates[:] = 0.0
    for i in range(window):
        total = 0.0
        for p in range(rates.shape[1]):
            rate = rates[first + i, p]
            observed.rates[p] += rate
            total += rate
        observed.counts[i] = total * rules.step_s
    for p in range(rates.shape[1]):
        observed.rates[p] = rounding.six_decimals(observed.rates[p] / window)
        lag = commits.observed(p, rules, rates, state) if rules.commit_s > 0.0 else lags[p]
        observed.lags[p] = rounding.six_decimals(lag)


@inner
def _add_burst(
    rules: Rules, rates: Floats, partitions: Partitions, counters: Longs, figures: Floats
) -> None:
    """All events of a step arrive."""
    lags = partitions.lags
    for p in range(rates.shape[0]):
        if lags[p] == 0.0:
            partitions.head_steps[p] = counters[STEP]
            partitions.gone[p] = 0.0
        lags[p] += rates[p] * rules.step_s
    _sum_lags(rules, lags, counters, figures)


@inner_inlined
def _sum_lags(rules: Rules, lags: Floats, counters: Longs, figures: Floats) -> None:
    """Total lag, and its maximum: between two instants it is convex, so that is at one of them."""
    total = 0.0
    for lag in lags:
        total += lag
    figures[LAG] = total
    if counters[STEP] < rules.steps:
        figures[PEAK_LAG] = max(figures[PEAK_LAG], total)


@inner_inlined
def _end_of_step(rules: Rules, step: int) -> float:
    return (step + 1) * rules.step_s


@inner_inlined
def _next_instant(rules: Rules, clock: Floats, counters: Longs) -> float:
    """Time of what happens next; a group event that coincides with a step takes its time."""
    step = counters[STEP]
    until = _end_of_step(rules, step)
    if step >= rules.steps:
        # Nothing arrives any more, so steps only matter where service rates change with them.
        until = min(until, rules.drained_s) if rules.shape > 0.0 else rules.drained_s
    elif counters[DECIDED] == 0:
        decision = step * rules.step_s + rules.offset_s
        if decision > clock[NOW] + SAME_INSTANT_S:
            until = min(until, decision)
    due = min(clock[DUE], clock[HAPPENS])
    return float(due if due < until - SAME_INSTANT_S else until)


@inner_inlined
def _advance(until: float, rules: Rules, rates: Floats, state: State, latencies: Latencies) -> None:
    """Serve until the next instant."""
    counters, partitions, members = state.counters, state.partitions, state.members
    step, n = counters[STEP], counters[MEMBERS]
    span = Span(state.clock[NOW], until, step, rules.step_s, rules.burst, rates)
    arriving = state.idle if rules.burst or step >= rules.steps else rates[step]
    for m in range(n):
        first, end = members.starts[m], members.starts[m + 1]
        if end > first:
            held, ranked = members.served[first:end], members.ranked[first:end]
            speed, level = members.speeds[m], state.level
            shift = Shift(held, ranked, arriving, speed, span, partitions, level, latencies)
            is_due = commits.is_due(rules, members.ids[m], until, state.commits)
            if is_due:
                commits.keep_lags(held, partitions.lags, state.commits.before)
            fair_service.serve(shift)
            if is_due:
                commits.commit_within(rules, members.ids[m], shift, state.commits)
    _let_wait(members.served[members.starts[n] :], arriving, span, partitions)
    if step < rules.steps:
        _pay(until - span.start, counters, state.figures, state.record.steps[step])
    state.clock[NOW] = until
    _sum_lags(rules, partitions.lags, counters, state.figures)


@inner_inlined
def _let_wait(waiting: Longs, arriving: Floats, span: Span, partitions: Partitions) -> None:
    """Let the events of unserved partitions wait."""
    lags = partitions.lags
    for p in waiting:
        if arriving[p] > 0.0:
            if lags[p] == 0.0:
                first_in_first_out.begin(p, arriving[p], span, partitions)
            lags[p] += arriving[p] * (span.end - span.start)


@inner_inlined
def _pay(length: float, counters: Longs, figures: Floats, row: Floats) -> None:
    """Add an interval to the integrals over time."""
    figures[REPLICA_SECONDS] += counters[PAID] * length
    figures[STALLED_SECONDS] += counters[STALLED] * length
    row[STALLED_TIME] += counters[STALLED] * length
    row[PAID_TIME] += counters[PAID] * length


@inner_inlined
def _close_step(rules: Rules, state: State, latencies: Latencies) -> None:
    """Record a step as it ends, and go to the next."""
    counters, step, sums = state.counters, state.counters[STEP], latencies.sums
    if step < rules.steps:
        row = state.record.steps[step]
        row[PAID_AT_END] = counters[PAID]
        row[LAG_AT_END] = state.figures[LAG]
        row[SERVED_SO_FAR] = sums[MASS]
        row[LATE_SO_FAR] = sums[LATE]
        row[LONGEST_WAIT] = start_step(sums)
    counters[STEP] = step + 1
    counters[DECIDED] = 0
    counters[ARRIVED] = 0
    if rules.shape > 0.0:
        service_rates.set_speeds(rules, state)
