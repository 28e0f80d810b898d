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
from algorithms.autoscaling.dispatch import PARTITION, STALE, ZERO, Seen, decide, decides
from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.strategy import Strategy
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import allocating_unkept
from algorithms.core.compiled import inner as kernel_part

_DECIMALS = 6
"""Of rates, as strategies see them."""


class Looks(NamedTuple):
    """What is given, and what was read of it last."""

    rates: Floats
    """float64[N, P]: rates that a decision in each step sees, events/s."""
    counts: Floats
    """float64[W + N]: events of the whole group in each step, after W without any: the W before a
    decision in step k, or with W = 1 its own one, begin at place k."""
    others: Floats
    """float64[W + N]: likewise, without the last partition."""
    last_rates: Floats
    last_counts: Floats
    """`last_rates`, `last_counts`: float64[P], float64[W]: what was read last."""


class Given(NamedTuple):
    """State of a strategy and what it is given."""

    partitions: int
    inner: Any
    """State of the strategy."""
    looks: Looks


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

    Lags, owners and consumed partitions are those of the group. A blind group reads these rates as
    wrongly as it would read others.
    """
    own = (("inner", strategy.module), ("workload", workload))
    return replace(strategy, module=__name__, settings=(*strategy.settings, *own))


def start(group: Group, *, inner: str, workload: Workload, **arguments: Any) -> Given:
    """Start a strategy of `with_rates`. inner: Full name of the strategy's module."""
    rates, window = workload.rates, 1 if workload.sees_present else workload.window
    if workload.sees_present:
        means = rates
    else:
        before = np.concatenate([np.zeros((window, rates.shape[1])), rates])
        until = np.concatenate([np.zeros((1, rates.shape[1])), np.cumsum(before, axis=0)])
        means = (until[window:-1] - until[: -window - 1]) / window
    looks = Looks(
        rates=np.ascontiguousarray(np.round(np.maximum(means, 0.0), _DECIMALS)),
        counts=_counts(rates, workload),
        others=_counts(rates[:, :-1], workload),
        last_rates=np.zeros(rates.shape[1]),
        last_counts=np.zeros(window),
    )
    return Given(group.partitions, import_module(inner).start(group, **arguments), looks)


def _counts(rates: Floats, workload: Workload) -> Floats:
    totals: Floats = rates.sum(axis=1) * workload.step_s
    if workload.sees_present:
        return np.append(totals, 0.0)
    return np.concatenate([np.zeros(workload.window), totals])


@kernel_part
def _read(looks: Looks, seen: Seen) -> None:
    """Read what is given, as far as the group is not blind."""
    last = looks.last_rates.shape[0] - 1
    for p in range(last + 1):
        is_hidden = seen.blind == ZERO or (seen.blind == PARTITION and p == last)
        looks.last_rates[p] = 0.0 if is_hidden else looks.rates[seen.step, p]
    counts = looks.others if seen.blind == PARTITION else looks.counts
    for k in range(looks.last_counts.shape[0]):
        looks.last_counts[k] = 0.0 if seen.blind == ZERO else counts[seen.step + k]


# Not cached by itself, as the kernel of `algorithms.autoscaling.placed_counts`.
@decides(Given)
@allocating_unkept
def _decide(state: Given, seen: Seen, after: Longs) -> tuple[int, int]:
    if seen.blind != STALE:
        _read(state.looks, seen)
    given = Seen(
        seen.time,
        seen.step,
        seen.lags,
        state.looks.last_rates,
        seen.owners,
        seen.replicas,
        seen.consumed,
        state.looks.last_counts,
        seen.blind,
        seen.arrived,
    )
    return decide(state.inner, given, after)
