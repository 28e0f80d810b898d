"""Policies of an application, plainly: from lists of times to instances, as the contract says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms.autoscaling.hpa import HorizontalPodAutoscaler
from tests.algorithms.simulation.plain_application import Decide, PlainApplication, PlainFunction

K_MAX = 15


def ceiling(x: float) -> int:
    return min(max(math.ceil(x - 1e-9), 1), K_MAX)


class Observer:
    """Measurements of one function, and its estimates so far."""

    def __init__(self) -> None:
        self.until, self.entered, self.arrived, self.done = 0.0, 0, 0, 0
        self.rate = self.mu = self.true = math.nan
        self.entering, self.ca, self.cs = 0.0, 1.0, 1.0

    def look(self, function: PlainFunction, now: float) -> None:
        begin, self.until = self.until, now
        arrivals, self.arrived = function.arrivals[self.arrived :], len(function.arrivals)
        entered, self.entered = function.entered - self.entered, function.entered
        done, self.done = function.done[self.done :], len(function.done)
        services = [event.service for _, event in done]
        seconds = now - begin
        if arrivals:
            self.rate = len(arrivals) / seconds
        if entered:
            self.entering = entered / seconds
        if len(arrivals) > 2 and arrivals[-1] > arrivals[0]:
            self.ca = float(np.std(np.diff(arrivals)) / np.mean(np.diff(arrivals)))
        if services:
            self.mu = float(1.0 / np.mean(services))
            self.true = len(services) / self.busy(function, begin, now)
        if len(services) > 1:
            self.cs = float(np.std(services) / np.mean(services))

    @staticmethod
    def busy(function: PlainFunction, begin: float, end: float) -> float:
        served = (event for event in function.events if event.service > 0.0)
        return math.fsum(
            max(min(event.began + event.service, end) - max(event.began, begin), 0.0)
            for event in served
        )

    def known(self) -> bool:
        return not (math.isnan(self.rate) or math.isnan(self.true))


def response(rate: float, mu: float, k: int, ca: float, cs: float) -> float:
    rho = rate / (k * mu)
    if rho >= 1.0:
        return math.inf
    wait = (rho**k + rho) / 2 if rho >= 0.7 else rho ** math.sqrt(k + 1)
    return 1 / mu + (ca**2 + cs**2) / (2 * k) * wait / (mu * (1 - rho))


def make(policy: str, arguments: Mapping[str, Any], names: list[str]) -> Decide:
    """`decide` of a policy; `names` are in topological order."""
    observers = {name: Observer() for name in names}
    scaling = arguments if policy == "keda_hpa" else {}
    scalers = {name: HorizontalPodAutoscaler(1, K_MAX, 10, **scaling) for name in names}

    def decide(now: float, application: PlainApplication) -> dict[str, int]:
        present = {name: len(application.functions[name].instances) for name in names}
        for name, observer in observers.items():
            observer.look(application.functions[name], now)
        ready = {name: observer for name, observer in observers.items() if observer.known()}
        backlogs = {name: application.functions[name].backlog() for name in names}
        if policy == "threshold":
            return threshold(backlogs, present, arguments)
        if policy == "keda_hpa":
            return {
                name: scalers[name].sync(now, backlogs[name], present[name])[1] for name in names
            }
        if policy == "linear":
            return {name: ceiling(o.rate * 0.9 / (o.mu * 0.4)) for name, o in ready.items()}
        if policy == "queueing":
            return {name: queueing(o, arguments["r_max"]) for name, o in ready.items()}
        if policy == "ds2":
            return ds2(application, observers, ready)
        if policy == "queueing_paths":
            return by_paths(application, ready, present, arguments["r_max"])
        return {}

    return decide


def threshold(
    backlogs: Mapping[str, int], present: Mapping[str, int], arguments: Mapping[str, Any]
) -> dict[str, int]:
    counts = {}
    for name, backlog in backlogs.items():
        counts[name] = present[name]
        if backlog <= arguments["t_in"]:
            counts[name] = max(present[name] - 1, 1)
        elif backlog > arguments["t_out"]:
            counts[name] = min(present[name] + 1, K_MAX)
    return counts


def queueing(o: Observer, r_max: float) -> int:
    enough = (k for k in range(1, K_MAX + 1) if response(o.rate, o.mu, k, o.ca, o.cs) <= r_max)
    return next(enough, K_MAX)


def ds2(
    application: PlainApplication, observers: Mapping[str, Observer], ready: Mapping[str, Observer]
) -> dict[str, int]:
    rates: dict[str, float] = {}
    for name, observer in observers.items():
        rates[name] = observer.entering
        for upstream, end in application.edges:
            if end == name and upstream in rates:
                rates[name] += rates[upstream] * application.functions[upstream].selectivity
    return {name: ceiling(rates[name] / observer.true) for name, observer in ready.items()}


def by_paths(
    application: PlainApplication,
    ready: Mapping[str, Observer],
    present: Mapping[str, int],
    r_max: float,
) -> dict[str, int]:
    times = {name: response(o.rate, o.mu, present[name], o.ca, o.cs) for name, o in ready.items()}
    grow, shrink = set(), set()
    for path in all_paths(application):
        if not all(name in ready for name in path):
            continue
        total = sum(times[name] for name in path)
        if total > r_max:
            below = [name for name in path if present[name] < K_MAX]
            grow |= {max(below, key=lambda name: times[name])} if below else set()
        elif total < 0.5 * r_max:
            above = [name for name in path if present[name] > 1]
            shrink |= {min(above, key=lambda name: times[name])} if above else set()
    return {name: present[name] + (1 if name in grow else -(name in shrink)) for name in present}


def all_paths(application: PlainApplication) -> list[list[str]]:
    """Every way from a function that a source feeds to one without a downstream."""
    functions = application.functions
    begins = {b for a, b in application.edges if a not in functions}
    paths, ways = [], [[name] for name in functions if name in begins or name in application.fed]
    while ways:
        way = ways.pop()
        following = [b for a, b in application.edges if a == way[-1]]
        ways.extend([*way, name] for name in following)
        if not following:
            paths.append(way)
    return paths
