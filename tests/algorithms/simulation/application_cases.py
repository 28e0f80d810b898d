"""Random small applications for tests."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from algorithms.autoscaling.hpa import Behaviour, Policy

SCALE_DOWN = Behaviour(20.0, "Max", (Policy("Percent", 100, 15.0),))
"""A stabilisation window that is over before these applications are."""

POLICIES: dict[str, dict[str, Any]] = {
    "constant": {},
    "threshold": {"t_in": 4.0, "t_out": 12.0},
    "queueing": {"r_max": 1.5},
    "queueing_paths": {"r_max": 2.0},
    "ds2": {},
    "linear": {},
    "keda_hpa": {"scale_down": SCALE_DOWN},
}
"""Every policy, with arguments that small applications scale under."""


class Case(NamedTuple):
    functions: dict[str, dict[str, Any]]
    edges: list[tuple[str, str]]
    sources: dict[str, list[tuple[float, float]]]
    settings: dict[str, Any]


def draw(seed: int) -> Case:
    """Up to five functions in any graph without a cycle, two sources, and any settings.

    The instances of a function share one queue.
    """
    pick = random.Random(seed)
    names = [f"f{i}" for i in range(pick.randint(1, 5))]
    functions = {
        name: {
            "mu": pick.choice([0.4, 1.0, 1.7, 5.0]),
            "cs": pick.choice([0.0, 0.5, 1.0, 2.0]),
            "selectivity": pick.choice([0.0, 0.3, 1.0, 1.0, 1.5, 2.0]),
            "initial": pick.choice([1, 1, 2, 4]),
        }
        for name in names
    }
    edges = [
        (start, end)
        for i, start in enumerate(names)
        for end in names[i + 1 :]
        if pick.random() < 0.45
    ]
    sources = {"topic": pieces(pick)}
    edges += [("topic", name) for name in names if name == "f0" or pick.random() < 0.2]
    if pick.random() < 0.4:
        sources[pick.choice(names)] = pieces(pick)
    settings = {
        "decision_s": pick.choice([4.0, 10.0, 17.0]),
        "startup_s": pick.choice([0.0, 0.0, 3.0, 10.0, 25.0]),
        "replace": pick.random() < 0.3,
        "spacing": pick.choice(["exponential", "constant"]),
        "receiver_queue": 0,
        "seed": seed,
    }
    return Case(functions, edges, sources, settings)


def pieces(pick: random.Random) -> list[tuple[float, float]]:
    """Some intervals, one of them possibly silent."""
    return [
        (pick.choice([5.0, 20.0, 33.0]), pick.choice([0.0, 0.5, 1.3, 4.0]))
        for _ in range(pick.randint(1, 3))
    ]
