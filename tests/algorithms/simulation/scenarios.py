"""Random scenarios in exact numbers, with many coincidences of events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.assignment import assignors
from algorithms.workloads import poisson_counts
from tests.algorithms.simulation.plain_settings import Answer, Setup

DELAYS = ("0", "0", "0.05", "0.25", "0.5", "1", "1.5", "3")


@dataclass
class Scenario:
    """A workload, the settings of a group, and the answers of its strategy."""

    rates: list[list[Fraction]]
    setup: Setup
    settings: dict[str, Any]
    answers: list[Answer]
    means: list[list[Fraction]] | None = None
    """Rates of which those above are drawn, if any are."""

    @property
    def workload(self) -> NDArray[np.float64]:
        """The rates that are given, as floats."""
        return floats(self.rates if self.means is None else self.means)

    @property
    def peaks(self) -> NDArray[np.float64]:
        """Greatest rate of each partition."""
        return floats(self.rates).max(axis=0)

    @property
    def mean_rates(self) -> NDArray[np.float64]:
        """Mean rate of each partition."""
        return floats(self.rates).mean(axis=0)


def floats(rates: list[list[Fraction]]) -> NDArray[np.float64]:
    """Rates as floats."""
    return np.array([[float(rate) for rate in row] for row in rates])


class Draws:
    """Random choices."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def of(self, *values: Any) -> Any:
        return values[self.rng.integers(len(values))]

    def between(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))


def rates(draws: Draws, n: int, p: int, mu: Fraction, replicas: int) -> list[list[Fraction]]:
    """Rates around what the replicas can serve: integers, ties, zeros and fractions."""
    level = mu * replicas / p
    kind = draws.of("equal", "steps", "sparse", "fractions", "constant")
    base = [level * draws.between(0, 8) / 4 for _ in range(p)]
    rows = []
    for _ in range(n):
        factor = Fraction(draws.between(0, 6), 4)
        if kind == "equal":
            rows.append([level * factor] * p)
        elif kind == "steps":
            rows.append([rate * factor for rate in base])
        elif kind == "sparse":
            rows.append([level * draws.of(0, 0, 1, 3) for _ in range(p)])
        elif kind == "fractions":
            rows.append([level * Fraction(draws.between(0, 60), 31) for _ in range(p)])
        else:
            rows.append(base)
    return rows


def answer(draws: Draws, p: int, most: int) -> Answer:
    """An answer of any kind; counts may be out of bounds."""
    kind = draws.of(0, 0, 1, 2)
    count = draws.between(0, most + 1)
    if draws.of(True, False, False):
        return None
    if kind == 0:
        return count, 0, [0] * p
    if kind == 1:
        if count == 0:
            return 0, 0, [0] * p
        return count, 1, [draws.between(0, count - 1) for _ in range(p)]
    ids = [draws.between(0, p - 1) for _ in range(p)]
    used = len(set(ids))
    return draws.of(used, used, used + 1, used - 1), 2, ids


def scenario(seed: int, steps: int = 8) -> Scenario:
    """Draw a scenario; the same seed gives the same one."""
    draws = Draws(seed)
    p, n = draws.between(1, 4), draws.between(1, steps)
    step = Fraction(draws.of("1", "1", "0.5", "2"))
    every = draws.of(1, 1, 2, 3)
    most = draws.between(1, p + 1)
    least = draws.between(0, most)
    initial = draws.between(least, most)
    mu = Fraction(draws.of(200, 200, 100, 7))
    texts = {
        "step_s": str(step),
        "decision_s": str(step * every),
        "mu": str(mu),
        "wsla_s": draws.of("0.5", "0.5", "1", "0.001", "0.2"),
        "startup_s": draws.of(*DELAYS),
        "heartbeat_s": draws.of(*DELAYS),
        "rebalance_s": draws.of(*DELAYS),
        "move_pause_s": draws.of(*DELAYS),
        "decision_offset_s": draws.of("0", "0", "0.08", "0.25"),
        "cooldown_s": draws.of("0", "0", "1", "2.5"),
        "drain_limit_s": draws.of("600", "600", "1.25", "0"),
    }
    shared: dict[str, Any] = {
        "arrivals": draws.of("uniform", "burst"),
        "initial_replicas": initial,
        "min_replicas": least,
        "max_replicas": most,
        "protocol": draws.of("eager", "cooperative", "incremental"),
        "assignor": draws.of(*assignors.names()),
        "observe": draws.of("last", "now"),
    }
    mechanisms = Draws(seed + 10**6)
    texts |= {
        "second_heartbeat_s": mechanisms.of(*DELAYS),
        "assignment_interval_s": mechanisms.of("0", "0", "1", "0.5"),
        "session_s": mechanisms.of("0.5", "2", "45"),
        "commit_s": mechanisms.of("0", "0", "0.3", "1", "2.5", "5"),
    }
    shared |= {
        "max_poll_records": mechanisms.of(0, 0, 50, 500),
        "static_members": mechanisms.of(False, False, True),
        "leave_on_close": mechanisms.of(False, True),
        "placement_draw": mechanisms.of(0, 0, 1, 2),
        "seed": seed,
    }
    texts["shared_limit"] = mechanisms.of("0", "0", "0", "120", "840")
    texts["initial_rebalance_s"] = mechanisms.of(*DELAYS)
    exact = {name: Fraction(text) for name, text in texts.items()}
    stream = rates(draws, n, p, mu, max(initial, 1))
    case = Scenario(
        rates=stream,
        setup=Setup(**shared, **exact),
        settings=shared | {name: float(value) for name, value in exact.items()},
        answers=[answer(draws, p, most) for _ in range(n)],
    )
    return drawn(case, seed) if draws.of(True, False, False, False) else case


STARTUPS = (
    *("0-0:0.5,1-1:0.5", "0.25-0.75:1", "0-2:0.75,2-6:0.25", "0-1:0.5,0.5-9:0.5"),
    *("1-1:0.25,0.5-1.5:0.25,3-3:0.5", "0-20:1"),
)


def with_drawn_starts(case: Scenario, seed: int) -> Scenario:
    """The scenario where each start of a replica takes its own time, and many start at once."""
    draws = Draws(seed + 2 * 10**6)
    text, p = draws.of(*STARTUPS), len(case.rates[0])
    bounds: dict[str, Any] = {"min_replicas": 0, "initial_replicas": 1, "max_replicas": 6}
    counts: tuple[Answer, ...] = tuple((n, 0, [0] * p) for n in (1, 4, 6))
    parts = [part.replace("-", ":").split(":") for part in text.split(",")]
    startups = tuple((Fraction(low), Fraction(high), Fraction(share)) for low, high, share in parts)
    return replace(
        case,
        setup=replace(case.setup, startups=startups, **bounds),
        settings=case.settings | bounds | {"startup_s": text},
        answers=[draws.of(each, *counts) for each in case.answers],
    )


def with_work_in_flight(case: Scenario, seed: int) -> Scenario:
    """The scenario where removed members lose work."""
    draws = Draws(seed + 3 * 10**6)
    exact: dict[str, Any] = {
        "in_flight_s": Fraction(draws.of("0.1", "0.5", "2", "30")),
        "commit_s": Fraction(draws.of("0.3", "1", "2.5", "5")),
    }
    return replace(
        case,
        setup=replace(case.setup, **exact),
        settings=case.settings | {name: float(value) for name, value in exact.items()},
    )


def drawn(case: Scenario, seed: int) -> Scenario:
    """The scenario with events that are drawn: counts in steps of a power of two are exact."""
    counts = poisson_counts.draw(case.workload, case.settings["step_s"], seed)
    return replace(
        case,
        rates=[[Fraction(rate) for rate in row] for row in counts.tolist()],
        means=case.rates,
        settings=case.settings | {"poisson": True, "seed": seed},
    )


def with_heartbeats(case: Scenario, kind: str) -> Scenario:
    """The scenario where members learn of a rebalance otherwise, and send heartbeats."""
    draws = Draws(case.settings["seed"] + 5 * 10**6)
    names = ("heartbeat_s", "second_heartbeat_s")
    exact: dict[str, Any] = {name: Fraction(draws.of(*DELAYS[2:])) for name in names}
    own = {"heartbeats": kind} | {name: float(value) for name, value in exact.items()}
    return replace(
        case,
        setup=replace(case.setup, heartbeats=kind, **exact),
        settings=case.settings | own,
    )


def with_kept_pauses(case: Scenario, seed: int) -> Scenario:
    """The scenario, cooperative, where partitions that stay wait in each round."""
    pause = Draws(seed + 4 * 10**6).of("0.05", "0.5", "1", "2.5")
    own: dict[str, Any] = {"protocol": "cooperative", "kept_pause_s": Fraction(pause)}
    return replace(
        case,
        setup=replace(case.setup, **own),
        settings=case.settings | own | {"kept_pause_s": float(pause)},
    )
