"""Which printed rows of Ezzeddine et al. an experiment of live groups repeats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from algorithms.autoscaling.candidates import Candidate
from live.live_settings import DRIFT
from live.strategy_kinds import is_asking, label_of_asking
from pipeline.inputs.policies import strategy_policies
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.published_workloads import PublishedWorkload
from pipeline.reporting.sections.ezzeddine_figures import (
    FIRST,
    LINEAR,
    MU,
    OVERPROVISIONING,
    SECOND,
    Repeated,
    printed_rows,
)
from pipeline.reporting.sections.tolerances import too_few
from pipeline.settings.live_experiment import LiveExperiment

SHAPE_ALONE = "the workload has the published shape, not the published rates"
"""Why levels on a generated workload are not comparable."""

_NAMES = {"least_loaded_1": FIRST, "least_loaded_2": SECOND, "overprovision": OVERPROVISIONING}


class Workload(NamedTuple):
    """What an experiment plays."""

    name: str
    """``W1`` or ``W2``, as the paper numbers them."""
    is_published: bool
    """Whether it has the published rates; their shape alone otherwise."""


def workload_of(one: LiveExperiment, played: PublishedWorkload | None) -> Workload | None:
    """The paper's workload that groups of an experiment are sent; None for any other.

    played: The published file that it plays, if any.
    """
    if not any(map(is_asking, one.strategies)):
        return None
    if played is not None:
        return Workload(played.name, True)
    peak = one.high * one.capacity / one.record_bytes
    played_as = one.profile, one.iterations, one.iteration_seconds, peak
    shaped = published_workloads.of_shape(*played_as)
    return Workload(shaped.name, False) if shaped else None


def repeated(one: LiveExperiment, workload: Workload) -> Repeated | None:
    """Printed rows in the setting of an experiment; None if it is no setting of the paper."""
    if one.consumer_rate / one.record_bytes != MU:
        return None
    split = str(one.split), one.partitions
    return printed_rows(workload.name, *split, one.heartbeat_s, one.revoke_s)


def strategies(one: LiveExperiment) -> Mapping[str, str]:
    """Strategies of an experiment by their names in the paper; others are left out."""
    named: dict[str, str] = {}
    for strategy in filter(is_asking, one.strategies):
        (candidate,) = strategy_policies.parse(label_of_asking(strategy), one.partitions, 1.0, 1.0)
        plans_s = candidate.settings.get("rebalance_s", one.revoke_s)
        name = _name(candidate) if plans_s == one.revoke_s else None
        if name is not None:
            named.setdefault(name, strategy)
    return named


def no_verdict(one: LiveExperiment) -> str:
    """Why an experiment has no verdicts; empty if it has."""
    if why := too_few(one.replicates):
        return why
    if one.arrivals != DRIFT:
        return f"arrivals are {one.arrivals}, and bursts of the authors drift"
    return ""


def _name(candidate: Candidate) -> str | None:
    """The paper's name of a candidate with the paper's parameters."""
    if candidate.strategy == "linear":
        is_its = candidate.settings.get("assignor", "range") == "range" and not candidate.arguments
        return LINEAR if is_its else None
    return None if candidate.arguments else _NAMES.get(candidate.strategy)
