"""Simulations of many candidates on one workload, and what is kept of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np

from algorithms.assignment import assignors
from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate, whole_steps
from algorithms.autoscaling.candidates import candidate as candidate_of
from algorithms.core.arrays import Floats, Longs
from algorithms.core.group_declarations import INITIAL_REBALANCE_S
from algorithms.core.input_errors import AlgorithmError
from algorithms.core.seeds import derive_seed
from algorithms.simulation import group_costs
from algorithms.simulation.group_costs import BlockTotals, Prices
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.group_settings import check_settings, group_of
from algorithms.simulation.incident_times import Incident
from pipeline.base.errors import InputError
from pipeline.base.process import machine
from pipeline.base.progress import Work
from pipeline.experiments.autoscaling.recommendation.consumer_settings import Consumers

MOST_THREADS = 8
"""Simulations at the same time; each may take 100 MB."""

Given = TypeVar("Given")
Made = TypeVar("Made")

PHASES = 3
"""Phases of the pod autoscaler's sync at which forms behind KEDA are simulated."""

_PARTS = 1000
_FIRST_S = 60.0
_EXACT = 1e-9


class Run(NamedTuple):
    """A simulation to make: a candidate on consumers of some kind."""

    candidate: Candidate
    consumers: Consumers


class CandidateOutcome(NamedTuple):
    """What is kept of a simulation."""

    settings: Mapping[str, Any]
    """All settings of the group that were given."""
    totals: BlockTotals
    """Cost and events by day."""
    p99_s: float
    """99th percentile of the latency, s; NaN where it was not computed."""
    replicas: float
    peak: float
    """`replicas`, `peak`: mean and most replicas."""
    moves_per_hour: float
    """Partitions moved per hour."""
    carried: float
    """Events that wait from one day to the next, as a share of all events."""
    scalings_per_hour: float = 0.0
    """Actions begun with more or fewer replicas, per hour."""

    @property
    def late(self) -> float:
        """Share of the events that are late."""
        events = float(self.totals.events.sum())
        return float(self.totals.late.sum()) / events if events > 0.0 else 0.0


class Bench(NamedTuple):
    """What all simulations share."""

    rates: Floats
    """Rates, events/s."""
    settings: Mapping[str, Any]
    """Settings of the group without those of consumers."""
    edges: Longs
    """Days, in steps."""
    prices: Prices
    """What replicas, late events and moves cost."""
    topics: tuple[int, ...]
    """Partitions of each topic."""
    is_bounded: bool = False
    """Whether the user has set `max_replicas`; else no more replicas are of use than the assignor
    can give partitions to."""
    parts: int = 1
    """Steps that a recorded step was cut into."""

    @property
    def peaks(self) -> Floats:
        """Greatest rate of each partition, events/s."""
        greatest: Floats = self.rates.max(axis=0)
        return greatest

    @property
    def hours(self) -> Floats:
        """Length of each day, hours."""
        lengths: Floats = np.diff(self.edges) * (self.settings["step_s"] / 3600.0)
        return lengths

    def scaled(self, factor: float) -> Bench:
        """The same with so many times the load."""
        return self._replace(rates=self.rates * factor)

    def most_useful(self, assignor: str) -> int:
        """Most replicas to which an assignor can give partitions."""
        return assignors.most_useful(assignor, self.topics)


class Count:
    """Simulations that are done, of how many: what a display of progress looks at."""

    def __init__(self) -> None:
        self.done, self.total = 0, 0
        self._lock = Lock()

    def expect(self, number: int) -> None:
        """Add simulations that will be made."""
        with self._lock:
            self.total += number

    def finish(self, number: int = 1) -> None:
        """Add simulations that are done."""
        with self._lock:
            self.done += number

    def look(self) -> Work | None:
        """Progress so far."""
        return Work(1, self.done, self.total) if self.total else None


def initial_replicas(rates: Floats, step_s: float, mu: float, most: int) -> int:
    """Replicas that keep up with the mean rate of the first minute, at least 1."""
    first = rates[: max(round(_FIRST_S / step_s), 1)].sum(axis=1)
    return min(max(math.ceil(float(first.mean()) / mu - _EXACT), 1), most)


def check(bench: Bench, run: Run) -> None:
    """Check a candidate unsimulated. Raises InputError if its strategy refuses an argument."""
    candidate = run.candidate
    strategy = registry.get(candidate.strategy)
    try:
        settings = check_settings(
            settings_of(bench, run), bench.rates.shape[1], strategy.decision_s, None
        )
        strategy.check(group_of(settings, bench.peaks, bench.topics), **candidate.arguments)
    except AlgorithmError as error:
        raise InputError(f"--strategy {candidate.label}: {error}") from error


def load_kernels(bench: Bench, runs: Iterable[Run], count: Count) -> None:
    """Load the machine code of all strategies; compile what is not in the cache yet.

    runs: Candidates with their consumers; the first one of each strategy is simulated for two
        steps.
    """
    first: dict[str, Run] = {}
    for run in runs:
        first.setdefault(run.candidate.strategy, run)
    count.expect(len(first))
    for run in first.values():
        detailed_run(bench._replace(rates=bench.rates[:2]), run.candidate, settings_of(bench, run))
        count.finish()


def run_all(
    bench: Bench, runs: Sequence[Run], count: Count, *, has_latencies: bool = False
) -> dict[Run, CandidateOutcome]:
    """Simulate candidates, several at a time; the result does not depend on how many.

    runs: Candidates, each with its consumers, without repetition; see `check`.
    has_latencies: Whether percentiles of latencies are of interest.
    """
    asked = [(bench, run, has_latencies) for run in runs]
    return dict(zip(runs, _each(asked, count), strict=True))


def run_each(benches: Sequence[Bench], run: Run, count: Count) -> list[CandidateOutcome]:
    """Simulate one candidate on several workloads or groups, as `run_all` does."""
    return _each([(bench, run, False) for bench in benches], count)


def _each(asked: Sequence[tuple[Bench, Run, bool]], count: Count) -> list[CandidateOutcome]:
    count.expect(len(asked))

    def outcome(one: tuple[Bench, Run, bool]) -> CandidateOutcome:
        result = simulated(*one)
        count.finish()
        return result

    return in_threads(outcome, asked)


def in_threads(function: Callable[[Given], Made], values: Iterable[Given]) -> list[Made]:
    """Call a function with each of some values, several at a time; return what it does in order."""
    pool = ThreadPoolExecutor(min(machine.all_cores(), MOST_THREADS))
    try:
        return list(pool.map(function, values))
    finally:
        pool.shutdown(cancel_futures=True)


def at_factors(
    bench: Bench,
    runs: Sequence[Run],
    factors: Sequence[float],
    as_recorded: Mapping[Run, CandidateOutcome],
    count: Count,
) -> dict[Run, list[CandidateOutcome]]:
    """Simulate candidates at several loads; at factor 1 only those that are new."""
    benches = {factor: bench.scaled(factor) for factor in factors} if runs else {}
    missing = [
        (factor, run)
        for factor in benches
        for run in runs
        if factor != 1.0 or run not in as_recorded
    ]
    asked = [(benches[factor], run, factor == 1.0) for factor, run in missing]
    outcomes = dict(zip(missing, _each(asked, count), strict=True))
    return {
        run: [
            outcomes[factor, run] if (factor, run) in outcomes else as_recorded[run]
            for factor in factors
        ]
        for run in runs
    }


def settings_of(bench: Bench, run: Run) -> dict[str, Any]:
    """Settings of one simulated group, with the time between its decisions.

    A time that is no multiple of a step is raised to the next one, unless the user has set it.
    Without bounds of the user, a group has no more replicas than get partitions; it starts with
    those that the first minute needs.
    """
    settings = bench.settings
    own = {**settings, **run.consumers.settings, **run.candidate.settings}
    if not bench.is_bounded and "max_replicas" not in run.candidate.settings:
        useful = max(bench.most_useful(own["assignor"]), own["min_replicas"])
        initial = run.candidate.settings.get("initial_replicas", 1)
        own["max_replicas"] = max(useful, initial) if isinstance(initial, int) else useful
    if "initial_replicas" not in run.candidate.settings:
        own["initial_replicas"] = min(own["initial_replicas"], own["max_replicas"])
    if own["min_replicas"] == 0:
        # That of the brokers, whatever the heartbeat of the members is.
        own.setdefault("initial_rebalance_s", INITIAL_REBALANCE_S)
    if "decision_s" in settings:
        return own
    decision_s = own.get("decision_s", registry.get(run.candidate.strategy).decision_s)
    return {**own, "decision_s": whole_steps(decision_s, own["step_s"])}


def every(candidates: Iterable[Candidate], kinds: Iterable[Consumers]) -> list[Run]:
    """Each candidate on each kind of consumers."""
    consumers = tuple(kinds)
    return [Run(candidate, kind) for candidate in candidates for kind in consumers]


def simulated(bench: Bench, run: Run, has_latencies: bool = True) -> CandidateOutcome:
    """Simulate one candidate.

    A form behind KEDA is simulated at `PHASES` phases of the pod autoscaler's sync, unless it names
    one. Since the phase cannot be chosen, the outcome with the most late events counts.
    """
    outcomes = [_at_phase(bench, each, has_latencies) for each in _phased(bench, run)]
    return max(outcomes, key=lambda outcome: outcome.late)


def _phased(bench: Bench, run: Run) -> list[Run]:
    """A candidate at each phase: evenly spread, from one that is drawn from the seed."""
    name, parameters = run.candidate.strategy, dict(run.candidate.parameters)
    if not registry.is_synced(name) or "phase_s" in parameters:
        return [run]
    sync_s = parameters.get("sync_s", registry.get(name).arguments["sync_s"])
    drawn = derive_seed(bench.settings.get("seed", 0), "phase") % _PARTS / _PARTS
    phases = [sync_s * (k + drawn) / PHASES for k in range(PHASES)]
    return [
        run._replace(candidate=candidate_of(name, **{**parameters, "phase_s": phase_s}))
        for phase_s in phases
    ]


def _at_phase(bench: Bench, run: Run, has_latencies: bool) -> CandidateOutcome:
    settings = settings_of(bench, run)
    detailed = detailed_run(bench, run.candidate, settings, has_latencies=has_latencies)
    step_s = settings["step_s"]
    totals = group_costs.block_totals(detailed, bench.edges, step_s, bench.prices)
    hours = float(bench.hours.sum())
    result = detailed.result
    waiting = detailed.trajectory.lag[bench.edges[1:-1] - 1]
    return CandidateOutcome(
        settings,
        totals,
        math.inf if result.p99 is None else result.p99,
        result.replica_minutes / 60.0 / hours,
        float(result.replicas.max()),
        result.partitions_moved / hours,
        float(waiting.sum() / max(totals.events.sum(), 1e-300)),
        (result.n_up + result.n_down) / hours,
    )


def detailed_run(
    bench: Bench,
    candidate: Candidate,
    settings: Mapping[str, Any],
    *,
    has_latencies: bool = True,
    incidents: Sequence[Incident] = (),
) -> Detailed:
    """Simulate a candidate on the topics of a workload, to which some things happen."""
    from algorithms.simulation.group_simulation import simulate_in_detail

    return simulate_in_detail(
        bench.rates,
        candidate.strategy,
        candidate.arguments,
        settings,
        bench.topics,
        has_percentiles=has_latencies,
        incidents=incidents,
    )
