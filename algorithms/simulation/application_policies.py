"""Policies that scale the functions of an application, from measurements and estimates alone.

Under a policy that needs a function's rates, the function keeps its instances until it has
completed an event.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from algorithms.autoscaling import ds2, keda, queueing
from algorithms.autoscaling.collection_checks import check_list, check_mapping, check_path
from algorithms.autoscaling.hpa import SCALE_DOWN, SCALE_UP, Behaviour, HorizontalPodAutoscaler
from algorithms.autoscaling.number_checks import check_factors, check_number
from algorithms.core.arrays import Bools, Longs, check_count
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.application_estimates import Analysis
from algorithms.simulation.application_graph import MAX_INSTANCES, Application

Plan = Callable[[Analysis], Longs]
"""Instances that each function should have, int64[F], from 1 to `MAX_INSTANCES`."""


def start_policy(
    name: Any, application: Application, r_max: float, arguments: Mapping[str, Any] | None
) -> Plan:
    """Start a policy by its name; see `algorithms.simulation.simulate_application`.

    application: A policy knows its graph and selectivities, not its rates.
    r_max: Bound of response times if the arguments have none, s.
    """
    if not isinstance(name, str) or name not in POLICIES:
        raise InvalidParameterError(f"policy must be one of {', '.join(POLICIES)} (got {name!r})")
    parameters = inspect.signature(POLICIES[name]).parameters.values()
    names = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    own = {} if arguments is None else check_mapping("arguments", arguments, "values")
    for argument in own:
        if argument not in names:
            raise InvalidParameterError(
                f"arguments of {name} must be among {', '.join(names) or 'none'} (got {argument!r})"
            )
    bound = {"r_max": r_max} if "r_max" in names else {}
    return POLICIES[name](application, **(bound | dict(own)))


def constant(application: Application) -> Plan:
    """The initial instances, for good."""
    return lambda analysis: analysis.instances


def threshold(
    application: Application,
    *,
    t_in: float = 50.0,
    t_out: float = 150.0,
    k_max: int = MAX_INSTANCES,
) -> Plan:
    """One instance fewer at a backlog of at most `t_in`, one more above `t_out`."""
    low, high = check_number("t_in", t_in, at_least=0.0), check_number("t_out", t_out)
    if not low < high:
        raise InvalidParameterError(f"t_in must be below t_out (got t_in {t_in}, t_out {t_out})")
    most = _check_most(k_max)

    def plan(analysis: Analysis) -> Longs:
        backlog = analysis.window.backlog
        change = (backlog > high).astype(np.int64) - (backlog <= low)
        counts: Longs = np.clip(analysis.instances + change, 1, most)
        return counts

    return plan


def linear(
    application: Application,
    *,
    f_up: float = 0.9,
    f_down: float = 0.4,
    k_max: int = MAX_INSTANCES,
) -> Plan:
    """``ceil(rate * f_up / (mu * f_down))`` instances."""
    check_factors(f_up, f_down)
    most = _check_most(k_max)

    def plan(analysis: Analysis) -> Longs:
        estimates = analysis.estimates
        exact = estimates.rate * f_up / (estimates.mu * f_down)
        counts = np.clip(np.ceil(exact - 1e-9), 1.0, most)
        return np.where(_is_known(analysis), counts, analysis.instances).astype(np.int64)

    return plan


def queueing_by_function(
    application: Application,
    *,
    r_max: float | Mapping[str, float],
    k_max: int = MAX_INSTANCES,
) -> Plan:
    """The fewest instances with which a function's mean response time is within its bound."""
    names = list(application.functions)
    by_name = dict(r_max) if isinstance(r_max, Mapping) else dict.fromkeys(names, r_max)
    if by_name.keys() != set(names):
        raise InvalidParameterError(
            f"r_max must be a number, or have one for each of {', '.join(names)} (got {by_name})"
        )
    bounds = [check_number(f"r_max of {name}", by_name[name], above=0.0) for name in names]
    most = _check_most(k_max)

    def plan(analysis: Analysis) -> Longs:
        counts = analysis.instances.copy()
        _, _, mu, _, ca, cs = analysis.estimates
        for f in np.flatnonzero(_is_known(analysis)):
            rate = analysis.estimates.rate[f]
            counts[f] = queueing.replicas(rate, mu[f], bounds[f], ca[f], cs[f], most)
        return counts

    return plan


def queueing_by_path(
    application: Application,
    *,
    r_max: float,
    alpha: float = 0.5,
    paths: Sequence[Sequence[str]] | None = None,
    k_max: int = MAX_INSTANCES,
) -> Plan:
    """One instance more or fewer where the mean response time along a path leaves an interval."""
    every = application.paths if paths is None else check_list("paths", paths, "paths")
    routes = [_check_path(application, path) for path in every]
    bound = check_number("r_max", r_max, above=0.0)
    share = check_number("alpha", alpha, at_least=0.0, at_most=1.0)
    most = _check_most(k_max)

    def plan(analysis: Analysis) -> Longs:
        functions = _queues(application, analysis)
        usable = [path for path in routes if all(name in functions for name in path)]
        planned = queueing.plan_paths(functions, usable, bound, share, most)
        return _counts(application, analysis, planned, most)

    return plan


def ds2_by_sources(application: Application, *, k_max: int = MAX_INSTANCES) -> Plan:
    """Instances for the rates of the sources, as if every function kept up."""
    most = _check_most(k_max)

    def plan(analysis: Analysis) -> Longs:
        true, is_known = analysis.estimates.true_rate, _is_known(analysis)
        functions = {
            name: {"rate_true": true[f] if is_known[f] else 1.0, "selectivity": each.selectivity}
            for f, (name, each) in enumerate(application.functions.items())
        }
        sources = dict(zip(functions, analysis.estimates.entered.tolist(), strict=True))
        planned = ds2.plan(functions, application.edges, sources, most)
        measured = {name: planned[name] for f, name in enumerate(functions) if is_known[f]}
        return _counts(application, analysis, measured, most)

    return plan


def keda_hpa(
    application: Application,
    *,
    threshold: int = 10,
    tolerance_up: float = 0.1,
    tolerance_down: float = 0.1,
    scale_up: Behaviour = SCALE_UP,
    scale_down: Behaviour = SCALE_DOWN,
    k_max: int = MAX_INSTANCES,
) -> Plan:
    """A horizontal pod autoscaler per function; each decision is a sync. No limit by partitions."""
    most = _check_most(k_max)
    target = check_count("threshold", threshold, 1, keda.MAX_THRESHOLD)
    autoscalers = [
        HorizontalPodAutoscaler(1, most, target, tolerance_up, tolerance_down, scale_up, scale_down)
        for _ in application.functions
    ]

    def plan(analysis: Analysis) -> Longs:
        counts = analysis.instances.copy()
        for f, autoscaler in enumerate(autoscalers):
            metric = keda.metric([analysis.window.backlog[f]], target, allow_idle=True)
            _, counts[f] = autoscaler.sync(analysis.time, metric, int(counts[f]))
        return counts

    return plan


POLICIES: dict[str, Callable[..., Plan]] = {
    "constant": constant,
    "threshold": threshold,
    "queueing": queueing_by_function,
    "queueing_paths": queueing_by_path,
    "ds2": ds2_by_sources,
    "linear": linear,
    "keda_hpa": keda_hpa,
}


def _check_most(k_max: int) -> int:
    return check_count("k_max", k_max, 1, MAX_INSTANCES)


def _check_path(application: Application, path: Sequence[str]) -> tuple[str, ...]:
    steps = check_path(path)
    is_path = steps and all(isinstance(name, str) for name in steps)
    is_path = is_path and steps[0] in application.functions
    if not is_path or not {*pairwise(steps)} <= {*application.edges}:
        raise InvalidParameterError(
            f"paths must follow the edges from function to function (got {list(steps)})"
        )
    return steps


def _is_known(analysis: Analysis) -> Bools:
    """Whether each function has had an arrival and a completion."""
    return np.isfinite(analysis.estimates.rate) & np.isfinite(analysis.estimates.true_rate)


def _queues(application: Application, analysis: Analysis) -> dict[str, dict[str, float]]:
    """Functions whose rates are known, as the planner for paths takes them."""
    columns = analysis.estimates
    return {
        name: {
            "lambda": columns.rate[f],
            "mu": columns.mu[f],
            "ca": columns.ca[f],
            "cs": columns.cs[f],
            "k": int(analysis.instances[f]),
        }
        for f, name in enumerate(application.functions)
        if _is_known(analysis)[f]
    }


def _counts(
    application: Application, analysis: Analysis, planned: Mapping[str, int], most: int
) -> Longs:
    """Planned instances, the present ones of functions without a plan."""
    present = zip(application.functions, analysis.instances.tolist(), strict=True)
    counts = np.array([planned.get(name, count) for name, count in present], dtype=np.int64)
    return np.minimum(counts, most)
