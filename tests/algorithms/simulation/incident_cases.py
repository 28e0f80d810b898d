"""Random scenarios with incidents, in exact numbers and as the simulator takes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from algorithms.simulation.incident_kinds import (
    READINGS,
    Blind,
    Crash,
    Limit,
    Outage,
    Parameters,
    Restart,
    Spot,
    WarmUp,
)
from algorithms.simulation.incident_times import Incident
from tests.algorithms.simulation import scenarios
from tests.algorithms.simulation.plain_incidents import Happening
from tests.algorithms.simulation.plain_settings import NONE, ONE, Exact
from tests.algorithms.simulation.scenarios import Draws, Scenario

ALL = ("outage", "crash", "limit", "restart", "warm_up", "blind")
KINDS = (*ALL, "spot")
ONCE = ("restart", "warm_up", "blind", "spot")
SHARES = ("0%", "25%", "34%", "50%", "100%")


@dataclass
class Hit:
    """A scenario, and what happens in it."""

    case: Scenario
    incidents: list[Incident]
    happenings: list[Happening]
    rise: Exact = NONE
    first: Exact = ONE
    of: dict[Incident, Happening] = field(default_factory=dict)
    """What each incident is in the plain simulation."""


def hit(seed: int, kinds: tuple[str, ...], steps: int = 12) -> Hit:
    """A scenario with up to two incidents of each of some kinds, but one restart."""
    case = scenarios.scenario(seed, steps)
    if seed % 3 == 1:
        case = scenarios.with_drawn_starts(case, seed)
    elif seed % 3 == 2:
        case = scenarios.with_work_in_flight(case, seed)
    draws = Draws(seed + 4 * 10**6)
    end = len(case.rates) * case.setup.step_s
    one = Hit(case, [], [])
    for kind in kinds:
        for _ in range(1 if kind in ONCE else draws.of(1, 1, 2)):
            _add(one, kind, draws, end)
    one.incidents.sort(key=lambda incident: incident.at_s)
    return one


def _add(one: Hit, kind: str, draws: Draws, end: Exact) -> None:
    """Add an incident, often as something else happens: as a step begins, or within one."""
    at = end * Fraction(draws.between(0, 15), 16)
    if draws.of(True, False):
        at = Fraction(int(at / one.case.setup.step_s)) * one.case.setup.step_s
    length = (end - at) * Fraction(draws.between(0, 4), 4)
    numbers: dict[str, Any] = {}
    parameters: Parameters
    if kind == "outage":
        parameters, numbers = Outage(outage_s=float(length)), {"until": at + length}
    elif kind == "crash":
        parameters = Crash()
    elif kind == "limit":
        rate = Fraction(draws.of(50, 120, 840, 10**9))
        until = draws.of(None, at + length)
        numbers = {"rate": rate, "until": until}
        limit_s = None if until is None else float(length)
        parameters = Limit(limit_rate=float(rate), limit_s=limit_s)
    elif kind == "restart":
        surge, unavailable = (draws.of(0, 1, 2, *SHARES) for _ in range(2))
        pause = Fraction(draws.of("0", "0", "0.5", "2"))
        numbers = {"surge": surge, "unavailable": unavailable, "pause": pause}
        parameters = Restart(surge=surge, unavailable=unavailable, pause_s=float(pause))
    elif kind == "blind":
        reads = draws.of(*READINGS)
        parameters = Blind(blind_s=float(length), reads=reads)
        numbers = {"until": at + length, "reads": reads}
    elif kind == "spot":
        share = Fraction(draws.of("0.01", "0.3", "0.5", "1"))
        parameters = Spot(notice_s=float(length), share=float(share))
        numbers = {"share": share, "notice": length}
    else:
        one.rise, one.first = Fraction(draws.of("0.5", "2", "10")), Fraction(draws.of("0.25", "1"))
        parameters = WarmUp(rise_s=float(one.rise), first_share=float(one.first))
    one.incidents.append(Incident(kind, float(at), parameters, kind))
    if kind != "warm_up":
        one.happenings.append(Happening(kind, at, **numbers))
        one.of[one.incidents[-1]] = one.happenings[-1]
