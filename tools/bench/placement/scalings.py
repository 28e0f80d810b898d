"""Clusters that brokers join and leave, and what each rule of planning makes of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.core.seeds import derive_seed
from algorithms.placement import BrokerLists, PlanMeasures, least_moves, measured, round_robin

REPLICATIONS = (1, 2, 3)
TOPICS, PARTITIONS = 4, 16
"""Giannakopoulos and Kalogeraki 2022."""

FEWEST, MOST = 3, 11
"""Brokers."""

STEPS = 50
"""Scalings of a cluster, one after the other."""

SPREAD = 0.6
"""Standard deviation of the logarithms of partitions' sizes."""

PARTITION_NAMES = tuple((f"t{topic}", n) for topic in range(TOPICS) for n in range(PARTITIONS))

Planner = Callable[[BrokerLists, Sequence[int], Sequence[float]], BrokerLists]
"""Makes a plan of a placement, the brokers after it and the sizes of the partitions."""


class Scaling(NamedTuple):
    """One scaling of a cluster by one rule."""

    replication: int
    rule: str
    cluster: int
    step: int
    measures: PlanMeasures
    share: float
    """Bytes that are copied, over all bytes of the cluster."""


def least(before: BrokerLists, brokers: Sequence[int], sizes: Sequence[float]) -> BrokerLists:
    """Our plan of fewest moves."""
    return least_moves(before, brokers, sizes).replicas


def in_turn(before: BrokerLists, brokers: Sequence[int], _: Sequence[float]) -> BrokerLists:
    """The paper's rule."""
    return round_robin(before, brokers)


def scalings(replication: int, cluster: int, rule: str, planner: Planner) -> Iterator[Scaling]:
    """Scale a cluster; start, sizes and brokers are those of all rules."""
    draw = random.Random(derive_seed(0, "placement", replication, cluster))
    generator = np.random.default_rng(derive_seed(0, "placement sizes", cluster))
    sizes = np.exp(SPREAD * generator.standard_normal(len(PARTITION_NAMES))).tolist()
    brokers = [*range(1, draw.randint(FEWEST, MOST) + 1)]
    placed = striped(replication, brokers)
    total = replication * sum(sizes)
    for step in range(STEPS):
        brokers = _scaled(draw, brokers)
        plan = planner(placed, brokers, sizes)
        measures = measured(placed, plan, brokers, sizes)
        yield Scaling(replication, rule, cluster, step, measures, measures.copied / total)
        placed = plan


def striped(replication: int, brokers: Sequence[int]) -> BrokerLists:
    """A balanced placement: each partition begins one broker after the one before."""
    number = len(brokers)
    return tuple(
        tuple(brokers[(start + place) % number] for place in range(replication))
        for start in range(len(PARTITION_NAMES))
    )


def _scaled(draw: random.Random, brokers: list[int]) -> list[int]:
    """Add the lowest free id, or remove any broker."""
    grows = draw.random() < 0.5
    if len(brokers) == FEWEST or (grows and len(brokers) < MOST):
        free = next(number for number in range(1, MOST + 1) if number not in brokers)
        return sorted([*brokers, free])
    gone = draw.choice(brokers)
    return [broker for broker in brokers if broker != gone]
