"""Service times of functions that resized images."""

from __future__ import annotations

import pandas as pd
import pytest

from algorithms.simulation.application_graph import check_application
from pipeline.experiments.pulsar.evidence import service_times
from pipeline.experiments.pulsar.evidence.application_evidence import PASSED, SENT, Evidence

pytestmark = pytest.mark.unit

TIMES = {"store": [0.25, 0.75], "shrink": [0.1], "recognise": [5.0]}


def evidence() -> Evidence:
    passed = [
        (number, name, name, 0, 1, 10.0 * number, 10.0 * number + seconds, name != "shrink")
        for name, times in TIMES.items()
        for number, seconds in enumerate(times)
    ]
    return Evidence(pd.DataFrame([], columns=SENT), pd.DataFrame(passed, columns=PASSED), [], True)


def test_times_of_a_function_are_what_the_simulator_takes() -> None:
    measured = service_times.measured(evidence(), ["store", "shrink", "unseen"])
    assert set(measured) == {"store", "shrink"}
    assert measured["store"] == pytest.approx((2, 0.5, 0.25))
    assert measured["store"].fields == pytest.approx({"mu": 2.0, "cs": 0.5})
    functions = {name: one.fields for name, one in measured.items()}
    check_application(functions, [("a", "store"), ("a", "shrink")], {"a": [(1.0, 1.0)]})


def test_the_mean_is_over_all_events() -> None:
    measured = service_times.measured(evidence(), ["store", "shrink"])
    assert service_times.mean(measured) == pytest.approx(1.1 / 3)
    assert service_times.mean({}) is None
