"""Strategies that are given the rates of a workload, whatever arrives between two decisions.

A controller that knows a stream's rates does not notice in which second a burst arrives. One that
counts events does: while bursts drift against its decisions, some seconds have none or two.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import compiled_decisions  # noqa: F401  for `decide`
from algorithms.autoscaling.dispatch import Seen, decide, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.strategy import Strategy
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import allocating_unkept

_DECIMALS = 6
"""Of rates, as strategies see them."""


class Given(NamedTuple):
    """State of a strategy and what it is given."""

    partitions: int
    inner: Any
    """State of the strategy."""
    rates: Floats
    """float64[N, P]: rates that a decision in each step sees, events/s."""
    counts: Floats
    """float64[W + N]: events of the whole group in each step, after W without any: the W before a
    decision in step k, or with W = 1 its own one, begin at place k."""


class Workload(NamedTuple):
    """Rates of a workload for decisions."""

    rates: Floats
    """float64[N, P], events/s in each step."""
    step_s: float
    window: int
    """Steps from decision to decision."""
    sees_present: bool
    """Whether a decision sees its own step, not those since the one before."""


def with_rates(strategy: Strategy, workload: Workload) -> Strategy:
    """The strategy, whose decisions see the rates of a workload in place of what arrives.

    Lags, owners and consumed partitions are those of the group.
    """
    own = (("inner", strategy.module), ("workload", workload))
    return replace(strategy, module=__name__, settings=(*strategy.settings, *own))


def start(group: Group, *, inner: str, workload: Workload, **arguments: Any) -> Given:
    """Start a strategy of `with_rates`. inner: Full name of the strategy's module."""
    rates, window = workload.rates, 1 if workload.sees_present else workload.window
    totals = rates.sum(axis=1) * workload.step_s
    if workload.sees_present:
        means, counts = rates, np.append(totals, 0.0)
    else:
        before = np.concatenate([np.zeros((window, rates.shape[1])), rates])
        until = np.concatenate([np.zeros((1, rates.shape[1])), np.cumsum(before, axis=0)])
        means = (until[window:-1] - until[: -window - 1]) / window
        counts = np.concatenate([np.zeros(window), totals])
    return Given(
        partitions=group.partitions,
        inner=import_module(inner).start(group, **arguments),
        rates=np.ascontiguousarray(np.round(np.maximum(means, 0.0), _DECIMALS)),
        counts=counts,
    )


# Not cached by itself, as the kernel of `algorithms.autoscaling.placed_counts`.
@decides(Given)
@allocating_unkept
def _decide(state: Given, seen: Seen, after: Longs) -> tuple[int, int]:
    given = Seen(
        seen.time,
        seen.step,
        seen.lags,
        state.rates[seen.step],
        seen.owners,
        seen.replicas,
        seen.consumed,
        state.counts[seen.step : seen.step + seen.counts.shape[0]],
    )
    return decide(state.inner, given, after)
