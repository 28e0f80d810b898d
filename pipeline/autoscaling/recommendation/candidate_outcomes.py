"""Simulations of many candidates on one workload, and what is kept of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from algorithms.autoscaling import registry
from algorithms.autoscaling.candidate_grid import halfway
from algorithms.autoscaling.candidates import Candidate, whole_steps
from algorithms.core.arrays import Floats, Longs
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation import group_costs
from algorithms.simulation.group_costs import BlockTotals, Prices
from algorithms.simulation.group_settings import check_settings, group_of
from pipeline.autoscaling.recommendation.consumer_settings import Consumers
from pipeline.errors import InputError
from pipeline.process import machine
from pipeline.progress import Work

MOST_THREADS = 8
"""Simulations at the same time; each may take 100 MB."""

_FIRST_S = 60.0
_EXACT = 1e-9


class Run(NamedTuple):
    """A simulation to make: a candidate on consumers of some kind."""

    candidate: Candidate
    consumers: Consumers


class CandidateOutcome(NamedTuple):
    """What is kept of a simulation.

    Attributes
    ----------
    settings : mapping
        All settings of the group that were given.
    totals : BlockTotals
        Cost and events by block.
    sla_percent : float
        Events in time, %.
    p99_s : float
        99th percentile of the latency, s.
    replicas, moves_per_hour : float
        Mean replicas, and partitions moved per hour.
    carried : float
        Events that wait from one block to the next, as a share of all events.
    """

    settings: Mapping[str, Any]
    totals: BlockTotals
    sla_percent: float
    p99_s: float
    replicas: float
    moves_per_hour: float
    carried: float


class Bench(NamedTuple):
    """What all simulations share.

    Attributes
    ----------
    rates : float64[N, P]
        Rates, events/s.
    peaks : float64[P]
        Greatest rate of each partition.
    settings : mapping
        Settings of the group without those of consumers.
    edges : int64[n + 1]
        Blocks of steps.
    prices : Prices
        What replicas, late events and moves cost.
    """

    rates: Floats
    peaks: Floats
    settings: Mapping[str, Any]
    edges: Longs
    prices: Prices


class Count:
    """Simulations that are done, of how many: what a display of progress looks at."""

    def __init__(self) -> None:
        self.done, self.total = 0, 0

    def look(self) -> Work | None:
        """Progress so far."""
        return Work(1, self.done, self.total) if self.total else None


def initial_replicas(rates: Floats, step_s: float, mu: float, most: int) -> int:
    """Replicas that keep up with the mean rate of the first minute, at least 1."""
    first = rates[: max(round(_FIRST_S / step_s), 1)].sum(axis=1)
    return min(max(math.ceil(float(first.mean()) / mu - _EXACT), 1), most)


def check(bench: Bench, run: Run) -> None:
    """Check a candidate without simulating it.

    Raises
    ------
    InputError
        If its strategy refuses an argument or a setting.
    """
    candidate = run.candidate
    strategy = registry.get(candidate.strategy)
    try:
        settings = check_settings(
            settings_of(bench.settings, run), bench.rates.shape[1], strategy.decision_s, None
        )
        strategy.check(group_of(settings, bench.peaks), **candidate.arguments)
    except AlgorithmError as error:
        raise InputError(f"--strategy {candidate.label}: {error}") from error


def load_kernels(bench: Bench, runs: Iterable[Run], count: Count) -> None:
    """Load the machine code of all strategies; compile what is not in the cache yet.

    Parameters
    ----------
    bench
        What all share.
    runs
        Candidates with their consumers; the first one of each strategy is simulated for two steps.
    count
        Counts strategies.
    """
    from algorithms.simulation.group_simulation import simulate

    first: dict[str, Run] = {}
    for run in runs:
        first.setdefault(run.candidate.strategy, run)
    count.total += len(first)
    for name, run in first.items():
        simulate(bench.rates[:2], name, run.candidate.arguments, settings_of(bench.settings, run))
        count.done += 1


def run_all(bench: Bench, runs: Sequence[Run], count: Count) -> dict[Run, CandidateOutcome]:
    """Simulate candidates, several at a time; the result does not depend on how many.

    Parameters
    ----------
    bench
        What all share.
    runs
        Candidates, each with its consumers, without repetition; see `check`.
    count
        Counts simulations.
    """
    count.total += len(runs)

    def outcome(run: Run) -> CandidateOutcome:
        result = _simulated(bench, run)
        count.done += 1
        return result

    pool = ThreadPoolExecutor(min(machine.all_cores(), MOST_THREADS))
    try:
        return dict(zip(runs, pool.map(outcome, runs), strict=True))
    finally:
        pool.shutdown(cancel_futures=True)


def narrowed(
    bench: Bench, outcomes: Mapping[Run, CandidateOutcome], percent: float, count: Count
) -> dict[Run, CandidateOutcome]:
    """Simulate further constant numbers of replicas, until the least that is enough is known.

    Parameters
    ----------
    bench
        What all share.
    outcomes
        Simulations so far.
    percent
        Events that must be in time, %.
    count
        Counts simulations.
    """
    further: dict[Run, CandidateOutcome] = {}
    for consumers in {run.consumers: None for run in outcomes}:
        known = {
            outcome.settings["initial_replicas"]: outcome.sla_percent >= percent - _EXACT
            for run, outcome in outcomes.items()
            if run.consumers == consumers and run.candidate.strategy == "constant"
        }
        while (candidate := _between(known)) is not None:
            run = Run(candidate, consumers)
            further |= run_all(bench, [run], count)
            replicas = candidate.settings["initial_replicas"]
            known[replicas] = further[run].sla_percent >= percent - _EXACT
    return further


def _between(known: Mapping[int, bool]) -> Candidate | None:
    """Constant replicas between the last number that misses and the first that is enough."""
    enough = min((n for n, keeps in known.items() if keeps), default=None)
    misses = [n for n, keeps in known.items() if not keeps and enough is not None and n < enough]
    return None if enough is None or not misses else halfway(max(misses), enough)


def settings_of(settings: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """Settings of one simulated group, with the time between its decisions.

    A time that is no multiple of a step is raised to the next one, unless the user has set it.
    """
    own = {**settings, **run.consumers.settings, **run.candidate.settings}
    if "decision_s" in settings:
        return own
    wanted = own.get("decision_s", registry.get(run.candidate.strategy).decision_s)
    return {**own, "decision_s": whole_steps(wanted, own["step_s"])}


def every(candidates: Iterable[Candidate], kinds: Iterable[Consumers]) -> list[Run]:
    """Each candidate on each kind of consumers."""
    consumers = tuple(kinds)
    return [Run(candidate, kind) for candidate in candidates for kind in consumers]


def _simulated(bench: Bench, run: Run) -> CandidateOutcome:
    from algorithms.simulation.group_simulation import simulate_in_detail

    settings = settings_of(bench.settings, run)
    candidate = run.candidate
    detailed = simulate_in_detail(bench.rates, candidate.strategy, candidate.arguments, settings)
    step_s = settings["step_s"]
    totals = group_costs.block_totals(detailed, bench.edges, step_s, bench.prices)
    hours = len(bench.rates) * step_s / 3600.0
    result = detailed.result
    waiting = detailed.trajectory.lag[bench.edges[1:-1] - 1]
    return CandidateOutcome(
        settings,
        totals,
        result.sla_percent or 0.0,
        math.inf if result.p99 is None else result.p99,
        result.replica_minutes / 60.0 / hours,
        result.partitions_moved / hours,
        float(waiting.sum() / max(totals.events.sum(), 1e-300)),
    )
