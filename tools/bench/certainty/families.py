"""Six families of loads with random days, of which fresh weeks can be drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.signal import lfilter

from algorithms.core.arrays import Bools, Floats
from algorithms.core.seeds import derive_seed

STEP_S = 60.0
STEPS = 1440
"""Steps of a day."""

WEEK = 7
MEAN = 20.0
"""Mean rate of a workload, in what one replica serves."""

Generator = np.random.Generator


class Load(NamedTuple):
    """Whole days of a load."""

    rates: Floats
    """Total rate, in what one replica serves."""
    weekend: Bools
    """Days at a weekend."""


class Family(NamedTuple):
    """A kind of load."""

    name: str
    """In tables."""
    held_out: bool
    """Whether it only checks what was set on the others."""
    draw: Callable[[Generator], Days]
    """From the generator of a workload's parameters to a function that draws days: from a
    generator, the number of days and the first weekday."""


Days = Callable[[Generator, int, int], Floats]


def load(family: Family, workload: int, part: str, days: int) -> Load:
    """Days of one workload; parts have random numbers of their own and the same parameters."""
    own = derive_seed(0, "certainty", family.name, workload)
    parameters = np.random.default_rng(own)
    first = int(parameters.integers(WEEK))
    process = family.draw(parameters)
    scale = float(process(np.random.default_rng(derive_seed(own, "scale")), 28, 0).mean())
    generator = np.random.default_rng(derive_seed(own, part))
    rates = process(generator, days, first) * (MEAN / scale)
    return Load(np.maximum(rates, 0.0), (np.arange(days) + first) % WEEK >= WEEK - 2)


def _hours() -> Floats:
    return np.arange(STEPS, dtype=np.float64) * (24.0 / STEPS)


def _cycle(parameters: Generator) -> Floats:
    """Shape of a day with mean 1: one wave, a second one at half the time."""
    swing, second = parameters.uniform(0.3, 0.8), parameters.uniform(0.0, 0.2)
    hours = _hours() - parameters.uniform(12.0, 20.0)
    wave = 1.0 + swing * np.cos(hours * np.pi / 12.0) + second * np.cos(hours * np.pi / 6.0)
    shape: Floats = np.maximum(wave, 0.05)
    return shape


def _noise(generator: Generator, count: int, sigma: float, correlation: float) -> Floats:
    """Stationary autoregressive noise with standard deviation `sigma`."""
    start = generator.standard_normal()
    drawn = generator.standard_normal(count) * np.sqrt(1.0 - correlation**2)
    values, _ = lfilter([1.0], [1.0, -correlation], drawn, zi=[correlation * start])
    noise: Floats = sigma * values
    return noise


def _levels(generator: Generator, days: int, sigma: float, correlation: float = 0.0) -> Floats:
    """Factor of each day, a column."""
    factors: Floats = np.exp(_noise(generator, days, sigma, correlation))[:, None]
    return factors


def _diurnal(parameters: Generator) -> Days:
    shape, sigma = _cycle(parameters), parameters.uniform(0.05, 0.3)
    flutter = parameters.uniform(0.02, 0.1)

    def days(generator: Generator, count: int, first: int) -> Floats:
        noise = _noise(generator, count * STEPS, flutter, 0.9).reshape(count, STEPS)
        return shape * np.exp(noise) * _levels(generator, count, sigma)

    return days


def _drifting(parameters: Generator) -> Days:
    sigma, hours = parameters.uniform(0.15, 0.4), parameters.uniform(0.5, 6.0)

    def days(generator: Generator, count: int, first: int) -> Floats:
        correlation = float(np.exp(-STEP_S / 3600.0 / hours))
        return np.exp(_noise(generator, count * STEPS, sigma, correlation)).reshape(count, STEPS)

    return days


def _batch(parameters: Generator) -> Days:
    shape, begin = _cycle(parameters), int(parameters.integers(60, 240))
    height, length = parameters.uniform(1.0, 3.0), parameters.uniform(30.0, 120.0)
    sigma = parameters.uniform(0.05, 0.3)

    def days(generator: Generator, count: int, first: int) -> Floats:
        rates = shape * _levels(generator, count, 0.1) * np.ones((count, STEPS))
        for rate in rates:
            minutes = int(length * np.exp(sigma * generator.standard_normal()))
            rate[begin : begin + minutes] += height * np.exp(sigma * generator.standard_normal())
        return rates

    return days


def _bursts(parameters: Generator) -> Days:
    shape, tail = _cycle(parameters), parameters.uniform(1.8, 3.5)
    per_day, length = parameters.uniform(2.0, 12.0), parameters.uniform(5.0, 30.0)
    size = parameters.uniform(0.1, 0.4)

    def days(generator: Generator, count: int, first: int) -> Floats:
        rates = (shape * _levels(generator, count, 0.08)).ravel()
        for _ in range(int(generator.poisson(per_day * count))):
            start = int(generator.integers(rates.size))
            stop = start + max(1, int(generator.exponential(length)))
            rates[start:stop] += size * (1.0 + generator.pareto(tail))
        return rates.reshape(count, STEPS)

    return days


def _weekly(parameters: Generator) -> Days:
    shape, sigma = _cycle(parameters), parameters.uniform(0.05, 0.2)
    rest = parameters.uniform(0.4, 0.8)

    def days(generator: Generator, count: int, first: int) -> Floats:
        at_rest = (np.arange(count) + first) % WEEK >= WEEK - 2
        level = np.where(at_rest, rest, 1.0)[:, None] * _levels(generator, count, sigma)
        noise = _noise(generator, count * STEPS, 0.05, 0.9).reshape(count, STEPS)
        return shape * level * np.exp(noise)

    return days


def _correlated(parameters: Generator) -> Days:
    shape, sigma = _cycle(parameters), parameters.uniform(0.1, 0.3)
    correlation = parameters.uniform(0.4, 0.8)

    def days(generator: Generator, count: int, first: int) -> Floats:
        noise = _noise(generator, count * STEPS, 0.05, 0.9).reshape(count, STEPS)
        return shape * np.exp(noise) * _levels(generator, count, sigma, correlation)

    return days


FAMILIES = (
    Family("diurnal", False, _diurnal),
    Family("drifting", False, _drifting),
    Family("nightly batch", False, _batch),
    Family("heavy-tailed bursts", True, _bursts),
    Family("weekly cycle", True, _weekly),
    Family("correlated days", True, _correlated),
)
