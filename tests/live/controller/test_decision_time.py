"""Processor time of a decision with 200 partitions, by part; the broker's share is not in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any, TypeVar

import pytest

from algorithms.workloads import random_walk
from live.controller.live_decisions import Wanted, order_of_moves
from live.controller.live_strategy import LiveStrategy
from live.protocol.group_actions import Actions
from live.protocol.group_protocol import GroupProtocol, ProtocolSettings
from live.protocol.messages import (
    Bye,
    End,
    Hello,
    PartitionEpoch,
    PartitionOffset,
    Started,
    Stop,
    Stopped,
    encode,
)

pytestmark = pytest.mark.unit

PARTITIONS, ITERATIONS, CAPACITY = 200, 12, 2.5e7
MOST_S = 0.02
"""From the measurement until the commands are handed to the client, s."""

T = TypeVar("T")


class Parts:
    """Processor times of this thread, s, by part of a decision."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = {}

    def timed(self, name: str, call: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """Result of a call, whose time is added."""
        before = time.thread_time()
        result = call(*arguments, **named)
        self.spent.setdefault(name, []).append(time.thread_time() - before)
        return result

    @property
    def medians(self) -> dict[str, float]:
        """The middle of each part, without the first iteration, which loads the kernel."""
        return {name: median(times[1:]) for name, times in self.spent.items()}


def answer(group: GroupProtocol, actions: Actions, now: float) -> None:
    """Consumers that do at once what they are asked for."""
    for consumer, incarnation in actions.launches:
        group.heard(Hello(consumer, incarnation, 1, 1), now)
    for consumer, command in actions.commands:
        sender = (consumer, command.incarnation)
        if isinstance(command, End):
            group.heard(Bye(*sender), now)
        elif isinstance(command, Stop):
            left = tuple(PartitionOffset(*row, offset=5) for row in command.partitions)
            group.heard(Stopped(*sender, command.plan, left), now)
        else:
            begun = tuple(PartitionEpoch(row.partition, row.epoch) for row in command.partitions)
            group.heard(Started(*sender, command.plan, begun), now)


def _encoded(actions: Actions) -> list[bytes]:
    return [encode(command, 1) for _, command in actions.commands]


def decide(parts: Parts) -> list[int]:
    """Decide on a stream of 200 partitions; returns the moves of each iteration."""
    shape = (PARTITIONS, ITERATIONS)
    rates = random_walk.generate(*shape, 25.0, CAPACITY / 5, None, 7).tolist()
    strategy = LiveStrategy("MWF", PARTITIONS, CAPACITY, 7)
    group, moves, now = GroupProtocol(ProtocolSettings(PARTITIONS), 0.0), [], 0.0
    for k, row in enumerate(rates):
        owners = parts.timed("step of the algorithm", strategy.decide, row)
        wanted = Wanted(tuple(owners), tuple(row), "iteration", k, 0)
        order, _ = parts.timed("order", order_of_moves, group.owners, wanted, CAPACITY)
        parts.timed("plan", group.plan, owners, now, order=order)
        actions = parts.timed("commands and records", group.due, now)
        parts.timed("JSON", _encoded, actions)
        moves.append(len(order))
        while actions.needs_transaction or not group.is_settled:
            group.committed(now)
            answer(group, actions, now)
            now += 0.01
            actions = group.due(now)
    return moves


def test_a_decision_on_200_partitions_takes_less_than_20_ms(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts = Parts()
    moves = decide(parts)
    assert median(moves[1:]) > 50
    total = sum(parts.medians.values())
    with capsys.disabled():
        words = [f"{name} {1000 * spent:.2f}" for name, spent in parts.medians.items()]
        print(f"\n200 partitions, {median(moves[1:]):.0f} moves, ms: {', '.join(words)}")
    assert total < MOST_S
