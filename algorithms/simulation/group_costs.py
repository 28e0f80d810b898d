"""What a simulated group costs, block by block: replicas, late events and moved partitions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import Floats, Longs
from algorithms.inference.time_blocks import block_sums
from algorithms.simulation.group_result import Detailed

MOST_PRICE = 1e15
"""Highest price: with more, costs would not be finite numbers."""

_SAME_STEP = 1e-9
_HOUR_S = 3600.0


class Prices(NamedTuple):
    """Prices in one currency."""

    replica_hour: float = 1.0
    """Of one replica for an hour."""
    late_event: float = 0.0
    """Of one event above the latency of the objective."""
    move: float = 0.0
    """Of one partition that moves to another member."""


class BlockTotals(NamedTuple):
    """Totals of a simulated group in n blocks of time."""

    cost: Floats
    """float64[n]: price of the replicas, late events and moves."""
    events: Floats
    late: Floats
    """`events`, `late`: float64[n]: events that departed, and those of them above the latency of
    the objective."""


def check_prices(prices: Prices) -> Prices:
    """Return prices as numbers, or raise InvalidParameterError; they are not all 0."""
    checked = Prices(
        _price("replica_cost", prices.replica_hour),
        _price("late_cost", prices.late_event),
        _price("move_cost", prices.move),
    )
    if not any(checked):
        # Everything would cost the same.
        check_number("replica_cost", prices.replica_hour, above=0.0)
    return checked


def _price(name: str, value: object) -> float:
    return check_number(name, check_number(name, value, at_least=0.0), at_most=MOST_PRICE)


def block_totals(
    detailed: Detailed, edges: Longs, step_s: float, prices: Prices | None = None
) -> BlockTotals:
    """Totals of a simulated group in each block of steps.

    detailed: From `algorithms.simulation.group_simulation.simulate_in_detail`.
    edges: int64[n + 1], blocks of its steps; see `algorithms.inference.time_blocks.block_edges`.
    prices: Default: a replica-hour costs 1, everything else nothing.
    Returns: replicas and events count where they are paid and depart, moves where their action
        began. Events that wait as the last step ends count in the last block, late if they depart
        late or never: all blocks together have the `sla_percent` of the run.

    O(N + D) for D actions.
    """
    result, trajectory = detailed.result, detailed.trajectory
    prices = Prices() if prices is None else prices
    events = block_sums(trajectory.served, edges)
    late = block_sums(trajectory.late, edges)
    arrived = float(trajectory.arrived.sum())
    on_time = 100.0 if result.sla_percent is None else result.sla_percent
    events[-1] += result.unconsumed
    late[-1] += max(arrived * (1.0 - on_time / 100.0) - float(late.sum()), 0.0)
    cost = (
        prices.replica_hour / _HOUR_S * block_sums(trajectory.paid_s, edges)
        + prices.late_event * late
        + prices.move * _moves(detailed, edges, step_s)
    )
    return BlockTotals(cost, events, late)


def _moves(detailed: Detailed, edges: Longs, step_s: float) -> Floats:
    """Partitions moved by the actions that began in each block."""
    actions = detailed.actions
    steps = np.floor(actions.time_s / step_s + _SAME_STEP)
    blocks = np.searchsorted(edges[1:-1], steps, side="right")
    count = edges.size - 1
    return np.bincount(blocks, weights=actions.moved, minlength=count).astype(np.float64)
