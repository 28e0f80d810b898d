"""Simulations of one workload under several candidates: strategies with their parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from algorithms.autoscaling import candidates, registry
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.group_settings import (
    GroupSettings,
    check_settings,
    check_totals,
    group_of,
)
from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.simulation.incident_figures import Recovery
from algorithms.simulation.incident_times import Incident
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.simulation import declared_events
from pipeline.experiments.autoscaling.simulation.simulation_settings import GROUP_KEYS
from pipeline.experiments.autoscaling.workloads.workload_source import Workload
from pipeline.inputs.policies import strategy_policies


class CandidateRun(NamedTuple):
    """A candidate, the settings of its group, and what it did."""

    candidate: Candidate
    """The strategy with its parameters."""
    settings: GroupSettings
    """All settings of the group."""
    detailed: Detailed
    """Figures, steps and actions."""
    recoveries: tuple[Recovery, ...] = ()
    """How it gets over each event that was declared."""


def parse(texts: Sequence[str], partitions: int, group: GroupSettings) -> tuple[Candidate, ...]:
    """Return the candidates of ``--strategy`` options, each once, in their order.

    texts: Lists separated by commas, in the notation of `candidates.parse`; without any, the
        candidates are those of `COMPARED`.
    partitions, group: What the values of a sweep depend on.
    Raises InputError if a text is no candidate.
    """
    every = [part.strip() for text in texts for part in text.split(",")] or COMPARED
    distinct: dict[str, Candidate] = {}
    for text in every:
        with _named(text):
            sizes = (partitions, group.mu, group.wsla_s, group.step_s)
            for one in strategy_policies.parse(text, *sizes):
                _check_parameters(one)
                distinct.setdefault(one.label, one)
    return tuple(distinct.values())


def run(
    workload: Workload,
    compared: Sequence[Candidate],
    settings: Mapping[str, Any],
    before_each: Callable[[Candidate], object] = lambda candidate: None,
    incidents: Sequence[Incident] = (),
) -> list[CandidateRun]:
    """Simulate a workload under each candidate, after checking all of them.

    settings: Settings of the group that differ from the defaults. Those of a candidate take
        precedence.
    before_each: Called with a candidate before its simulation.
    incidents: What happens to the group. Each candidate is simulated without them too.
    Raises InputError if a setting or an argument is invalid; nothing has been simulated then. Or if
        a restart begins before another one is over.
    """
    _check_shared(workload, settings)
    peaks = workload.rates.max(axis=0)
    groups = [_checked(workload, one, settings, peaks) for one in compared]
    runs = []
    for one, group in zip(compared, groups, strict=True):
        before_each(one)
        checked = {key: getattr(group, key) for key in GROUP_KEYS}
        detailed = _simulated(workload, one, checked, incidents)
        recoveries: tuple[Recovery, ...] = ()
        if incidents:
            quiet = _simulated(workload, one, checked, ())
            recoveries = declared_events.recoveries(incidents, detailed, quiet, workload.step_s)
        runs.append(CandidateRun(one, group, detailed, recoveries))
    return runs


def _simulated(
    workload: Workload, one: Candidate, settings: Mapping[str, Any], incidents: Sequence[Incident]
) -> Detailed:
    try:
        return simulate_in_detail(
            workload.rates,
            one.strategy,
            one.arguments,
            settings,
            workload.sizes,
            incidents=incidents,
        )
    except AlgorithmError as error:
        raise InputError(f"--event {error}") from error


def _check_shared(workload: Workload, settings: Mapping[str, Any]) -> None:
    """Check the settings without those of candidates, so that errors do not blame one of them."""
    unchecked = {**settings, "step_s": workload.step_s}
    try:
        group = check_settings(unchecked, workload.rates.shape[1], workload.step_s, None)
        check_totals(workload.rates, group)
    except AlgorithmError as error:
        raise InputError(str(error)) from error


def _checked(
    workload: Workload, one: Candidate, settings: Mapping[str, Any], peaks: Floats
) -> GroupSettings:
    """Check a candidate's settings and arguments; return all settings of its group."""
    strategy = registry.get(one.strategy)
    unchecked = {**settings, "step_s": workload.step_s, **one.settings}
    decision_s = candidates.whole_steps(strategy.decision_s, workload.step_s)
    with _named(one.label):
        group = check_settings(unchecked, workload.rates.shape[1], decision_s, strategy.observe)
        strategy.check(group_of(group, peaks, workload.sizes), **one.arguments)
    return group


def _check_parameters(one: Candidate) -> None:
    arguments = registry.get(one.strategy).arguments
    for name, _ in one.parameters:
        if name == "step_s":
            raise InputError("step_s belongs to the workload; give --set step_s=… instead")
        if name not in arguments and name not in GROUP_KEYS:
            own = ", ".join(arguments) or "none"
            raise InputError(
                f"unknown parameter {name!r}; must be an argument of {one.strategy} ({own}) or a "
                f"setting of the group ({', '.join(GROUP_KEYS)})"
            )


@contextmanager
def _named(label: str) -> Iterator[None]:
    """Turn an error of a candidate into one that names it."""
    try:
        yield
    except (AlgorithmError, InputError) as error:
        raise InputError(f"--strategy {label}: {error}") from error
