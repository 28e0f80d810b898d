"""What autoscalers do at the busiest hour while what they read is missing or wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from algorithms.autoscaling import strategies
from algorithms.simulation import incident_figures
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.incident_kinds import READINGS, Blind
from algorithms.simulation.incident_times import Incident
from pipeline.experiments.autoscaling.recommendation import bad_hour, candidate_outcomes
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench, Run

LEAD_S, AFTER_S = 1_800.0, 1_800.0
"""Time that is simulated before and after a group is blind, s."""

SEEN_S = 600.0
"""Time in which it has seen before, if the recording is long enough, s."""

_OF_BROKERS = ("missing", "partition")
"""What can go wrong with offsets that brokers are asked for: they say what is, or nothing."""

_WORDS = {
    "missing": "without its metric",
    "stale": "with a stale metric",
    "zero": "with a metric of 0",
    "partition": "without one partition",
}


class BlindTrial(NamedTuple):
    """What one group does while it is blind."""

    reads: str
    """One of `READINGS`."""
    before: int
    least: int
    """`before`, `least`: replicas as it begins, and the fewest meanwhile."""
    late: float
    """Late events, beyond those of the same group that sees, of those until `AFTER_S` later: what
    still waits then is served, or late for good."""
    shrinks: bool
    """Whether it has fewer replicas than before, and than if it could see."""


class BlindGroup(NamedTuple):
    """A candidate, and what it does in each way of being blind."""

    run: Run
    trials: tuple[BlindTrial, ...]

    @property
    def shrinks(self) -> tuple[BlindTrial, ...]:
        """Those in which it shrinks, of those that can happen to what it reads."""
        possible = readings(self.run.candidate.strategy)
        return tuple(each for each in self.trials if each.shrinks and each.reads in possible)


class BlindChecks:
    """Candidates that must not be recommended, since they shrink when blind.

    allowed: Whether they may be recommended all the same.

    A candidate is simulated once for each group and workload that it is asked about.
    """

    def __init__(self, allowed: bool = False) -> None:
        self.allowed = allowed
        self._groups: dict[tuple[int, Run], BlindGroup] = {}
        self._benches: dict[int, Bench] = {}

    def obstacle(self, bench: Bench, run: Run) -> str | None:
        """Why a candidate must not be recommended; None if it may be."""
        if self.allowed or run.candidate.strategy == "constant":
            return None
        # Kept, so that no other one gets its identity.
        self._benches[id(bench)] = bench
        key = id(bench), run
        if key not in self._groups:
            self._groups[key] = blind_group(bench, run, readings(run.candidate.strategy))
        return next(map(reason, self._groups[key].shrinks), None)


def readings(strategy: str) -> tuple[str, ...]:
    """What can go wrong with what a strategy reads, of `READINGS`.

    >>> readings("keda_hpa"), readings("keda_prometheus") == READINGS
    (('missing', 'partition'), True)
    """
    asks_brokers = strategy == "keda_hpa" or strategies.inner_of(strategy) is not None
    return _OF_BROKERS if asks_brokers else READINGS


def reason(trial: BlindTrial) -> str:
    """Why a candidate that shrinks must not be recommended."""
    return (
        f"shrinks from {trial.before:,} to {trial.least:,} replicas in ten minutes "
        f"{_WORDS[trial.reads]}: --allow-blind recommends it all the same"
    )


def blind_hour(bench: Bench, runs: Iterable[Run]) -> tuple[BlindGroup, ...]:
    """All ways of being blind, of each candidate that reads something."""
    scaled = [run for run in dict.fromkeys(runs) if run.candidate.strategy != "constant"]
    return tuple(
        candidate_outcomes.in_threads(lambda run: blind_group(bench, run, READINGS), scaled)
    )


def blind_group(bench: Bench, run: Run, reads: Iterable[str]) -> BlindGroup:
    """Simulate a candidate that is blind as the busiest hour begins, or `SEEN_S` after the start.

    reads: Those of `READINGS` that are simulated.
    Returns: No trial where the recording is no longer than that takes.
    """
    step_s: float = bench.settings["step_s"]
    lasts_s, length_s = Blind().blind_s, len(bench.rates) * step_s
    latest_s = math.floor((length_s - lasts_s) / step_s) * step_s
    at_s = min(max(bad_hour.busiest_s(bench), SEEN_S), latest_s)
    if at_s <= 0.0:
        return BlindGroup(run, ())
    window, start_s = bad_hour.window(bench, at_s, LEAD_S, lasts_s + AFTER_S)
    settings = bad_hour.started(window, run)
    first = round((at_s - start_s) / step_s)
    last = max(round((at_s - start_s + lasts_s) / step_s), first + 1)

    def detailed(*incidents: Incident) -> Detailed:
        return candidate_outcomes.detailed_run(
            window, run.candidate, settings, has_latencies=False, incidents=incidents
        )

    quiet = detailed()
    trials = []
    for each in reads:
        hit = detailed(Incident("blind", at_s - start_s, Blind(reads=each), "blind"))
        replicas, others = hit.result.replicas, quiet.result.replicas[first:last]
        before, meanwhile = int(replicas[max(first - 1, 0)]), replicas[first:last]
        late = incident_figures.until_the_end(first, hit, quiet).late
        shrinks = bool(((meanwhile < others) & (meanwhile < before)).any())
        trials.append(BlindTrial(each, before, int(meanwhile.min()), late, shrinks))
    return BlindGroup(run, tuple(trials))
