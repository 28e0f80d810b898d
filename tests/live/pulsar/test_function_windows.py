"""Windows of the monitor: sums of instances that restart, and counts that never go back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import pytest

from live.pulsar.function_settings import AT_LEAST_ONCE, UNINTERRUPTIBLE
from live.pulsar.function_windows import FunctionMonitor
from live.pulsar.functions_admin import FunctionsAdmin, FunctionSpec, UserSums

pytestmark = pytest.mark.unit

SPECS = [
    FunctionSpec("r1-a", 0, "r1-in", "r1-a-out", 1, AT_LEAST_ONCE, UNINTERRUPTIBLE, 0),
    FunctionSpec("r1-b", 1, "r1-a-out", "x", 1, AT_LEAST_ONCE, UNINTERRUPTIBLE, 0),
]


class Played:
    """A Pulsar that answers what a test says."""

    def __init__(self) -> None:
        self.topics: dict[str, int] = {}
        self.instances: dict[str, list[Mapping[str, UserSums]]] = {}

    def sums(self, name: str) -> list[Mapping[str, UserSums]]:
        return self.instances.get(name, [])

    def published(self, topic: str) -> int:
        return self.topics.get(topic, 0)


def recorded(*services: float) -> Mapping[str, UserSums]:
    """What an instance has recorded that served these."""
    return {"service": UserSums(len(services), sum(services), sum(s * s for s in services))}


def test_moments_are_those_of_all_services_though_an_instance_restarts() -> None:
    played = Played()
    monitor = FunctionMonitor(cast(FunctionsAdmin, played), SPECS)
    played.instances = {"r1-a": [recorded(1.0, 3.0), recorded(2.0)]}
    monitor.look()
    # The first instance has restarted and served one; the second has gone on.
    played.instances = {"r1-a": [recorded(5.0), recorded(2.0, 4.0)]}
    window = monitor.window(10.0, frozenset({"r1-in"}))
    services = np.array([1.0, 3.0, 2.0, 5.0, 4.0])
    assert window.busy[0] == pytest.approx(services.sum())
    assert window.service_mean[0] == pytest.approx(services.mean())
    assert window.service_variance[0] == pytest.approx(services.var())
    assert window.service_mean[1] == window.busy[1] == 0.0


@pytest.mark.parametrize("absent", [{}, {"service": UserSums(0.0, 0.0, 0.0)}])
def test_sums_that_are_absent_for_a_moment_do_not_count_again(
    absent: Mapping[str, UserSums],
) -> None:
    """As Pulsar answers while it changes the number of instances."""
    played = Played()
    monitor = FunctionMonitor(cast(FunctionsAdmin, played), SPECS)
    long = [0.5] * 2000
    looks = [
        [recorded(*long), recorded(*long)],
        [absent, recorded(*long, 0.3)],
        [recorded(*long, 0.2)],
        [recorded(*long, 0.2), absent, absent],
    ]
    for look in looks:
        played.instances = {"r1-a": look}
        monitor.window(1.0, frozenset())
    # A window later, both have served one more; the third is new.
    played.instances = {
        "r1-a": [recorded(*long, 0.2, 0.1), recorded(*long, 0.3, 0.1), recorded(0.7)]
    }
    window = monitor.window(1.0, frozenset())
    assert window.busy[0] == pytest.approx(0.1 + 0.1 + 0.7)
    assert window.service_mean[0] == pytest.approx(0.3)


def test_backlog_is_what_was_published_less_what_was_completed() -> None:
    played = Played()
    monitor = FunctionMonitor(cast(FunctionsAdmin, played), SPECS)
    played.topics = {"r1-in": 10, "r1-a-out": 7, "x": 2}
    first = monitor.window(10.0, frozenset({"r1-in"}))
    played.topics = {"r1-in": 12, "r1-a-out": 12, "x": 9}
    second = monitor.window(10.0, frozenset({"r1-in"}))
    assert first.backlog.tolist() == [3, 5]
    assert second.backlog.tolist() == [0, 3]
    assert second.arrivals.tolist() == [2, 5]
    assert second.completions.tolist() == [5, 7]
    assert second.entered.tolist() == [2, 0]
