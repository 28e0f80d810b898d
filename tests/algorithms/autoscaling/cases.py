"""Groups and observations that the tests of strategies share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.autoscaling import Group, Seen, registry
from algorithms.autoscaling.compiled_decisions import decide_once
from algorithms.autoscaling.dispatch import SEEING

Array = NDArray[np.float64]

GROUP = Group(
    partitions=5,
    mu=100.0,
    wsla_s=0.5,
    step_s=1.0,
    decision_s=1.0,
    rebalance_s=0.5,
    startup_s=0.0,
    min_replicas=1,
    max_replicas=5,
    initial_replicas=1,
    burst=False,
    seed=0,
    peaks=None,
    means=None,
    assignor="range",
    heartbeat_s=0.0,
    move_pause_s=0.0,
    protocol="eager",
    topics=(),
    second_heartbeat_s=0.0,
    assignment_interval_s=0.0,
)
"""Five partitions; one consumer serves 100 events/s."""


def ties(rng: np.random.Generator, partitions: int) -> Array:
    """Few different integers: equal rates, and bins that are exactly full."""
    return rng.choice([0.0, 10.0, 20.0, 30.0, 45.0, 90.0, 100.0], partitions)


def decimals(rng: np.random.Generator, partitions: int) -> Array:
    """Multiples of 0.1, whose sums depend on the order of adding."""
    return rng.integers(0, 1000, partitions) / 10.0


def spread(rng: np.random.Generator, partitions: int) -> Array:
    """Any numbers, with six decimals, as strategies see them."""
    return np.round(rng.uniform(0.0, 60.0, partitions), 6)


def idle(rng: np.random.Generator, partitions: int) -> Array:
    """Mostly nothing."""
    return np.round(rng.uniform(0.0, 60.0, partitions) * (rng.random(partitions) < 0.2), 6)


def crowded(rng: np.random.Generator, partitions: int) -> Array:
    """Many of them above a capacity."""
    return np.round(rng.uniform(20.0, 250.0, partitions), 6)


KINDS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    kind.__name__: kind for kind in (ties, decimals, spread, idle, crowded)
}


def draw(rng: np.random.Generator, partitions: int) -> Array:
    """Numbers of a random kind."""
    return KINDS[rng.choice(list(KINDS))](rng, partitions)


def seen(rng: np.random.Generator, group: Group, **fields: Any) -> Seen:
    """A random observation; members have the ids from 0."""
    partitions, replicas = group.partitions, int(rng.integers(1, group.max_replicas + 1))
    observed = Seen(
        time=float(rng.integers(1, 1000)),
        step=1,
        lags=draw(rng, partitions),
        rates=draw(rng, partitions),
        owners=rng.integers(-1 if rng.random() < 0.2 else 0, replicas, partitions),
        replicas=replicas,
        consumed=rng.random(partitions) < 0.7,
        counts=np.floor(draw(rng, 30)),
        blind=SEEING,
        arrived=np.zeros(partitions),
    )
    return observed._replace(**fields)


def group(rng: np.random.Generator, **fields: Any) -> Group:
    """A random group."""
    partitions = int(fields.get("partitions", rng.integers(1, 10)))
    drawn = GROUP._replace(
        partitions=partitions,
        mu=float(rng.choice([80.0, 100.0, 133.3, 200.0])),
        wsla_s=float(rng.choice([0.25, 0.5, 0.7, 2.0])),
        rebalance_s=float(rng.choice([0.0, 0.05, 0.3, 1.7])),
        max_replicas=int(rng.integers(1, 13)),
        burst=bool(rng.integers(2)),
        seed=int(rng.integers(100)),
        peaks=draw(rng, partitions),
    )
    drawn = drawn._replace(means=drawn.peaks)
    return drawn._replace(**fields)


def decided(name: str, group: Group, *observed: Seen, **arguments: Any) -> list[Any]:
    """Answers of a strategy in sequence: replicas, kind and what it filled in."""
    state = registry.get(name).start(group, **arguments)
    answers = []
    for one in observed:
        after = np.full(group.partitions, -9)
        replicas, kind = decide_once(state, one, after)
        answers.append((replicas, kind, after.tolist()))
    return answers
