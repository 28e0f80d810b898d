"""Service times of functions that resized images: measured, for a simulation of the same run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from pipeline.experiments.pulsar.evidence.application_evidence import Evidence


class ServiceTimes(NamedTuple):
    """Of one function, over every time that it passed an event on."""

    events: int
    mean_s: float
    deviation_s: float

    @property
    def fields(self) -> dict[str, float]:
        """What they are to `check_application`."""
        return {"mu": 1.0 / self.mean_s, "cs": self.deviation_s / self.mean_s}


def measured(evidence: Evidence, functions: Iterable[str]) -> dict[str, ServiceTimes]:
    """Times of those of the functions that have passed something on."""
    passed = evidence.passed
    times = {
        name: (rows["done_s"] - rows["began_s"]).to_numpy(dtype=np.float64)
        for name, rows in passed[passed["function"].isin(list(functions))].groupby("function")
    }
    return {
        str(name): ServiceTimes(one.size, float(one.mean()), float(one.std()))
        for name, one in times.items()
    }


def mean(times: Mapping[str, ServiceTimes]) -> float | None:
    """Mean over all events of all functions, s; None without any."""
    events = sum(one.events for one in times.values())
    return sum(one.events * one.mean_s for one in times.values()) / events if events else None
