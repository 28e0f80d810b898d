"""Strategies that plan with another time than the rebalances of their group take."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from algorithms.autoscaling.scaled_group import Group
from algorithms.autoscaling.strategy import Strategy


def with_planned(strategy: Strategy, planned_s: float) -> Strategy:
    """The strategy, which takes a rebalance of its group to last so long, s."""
    own = (("planning", strategy.module), ("planned_s", planned_s))
    return replace(strategy, module=__name__, settings=(*strategy.settings, *own))


def start(group: Group, *, planning: str, planned_s: float, **arguments: Any) -> Any:
    """Start a strategy of `with_planned`. planning: Full name of the strategy's module."""
    return import_module(planning).start(group._replace(rebalance_s=planned_s), **arguments)
