"""The page has every figure of the file of results, and says where they were measured."""

from __future__ import annotations

import pytest

from tools.bench import benchmarks_page, end_to_end

pytestmark = pytest.mark.unit

FOUND = {
    "measured": {
        "date": "2026-01-02",
        "cores": 2,
        "memory_gib": 23.5,
        "processor": "A processor",
        "python": "3.11.7",
    },
    "kernels": [
        {"algorithm": "NF", "partitions": 32, "us_per_assignment": 1.25},
        {"algorithm": "NF", "partitions": 1000, "us_per_assignment": 123.4},
    ],
    "exponents": {"NF": 1.046},
    "simulations": [
        {"strategy": "linear", "arrivals": arrivals, "partitions": 200, "milliseconds": time}
        for arrivals, time in (("uniform", 96.0), ("burst", 288.0))
    ],
    "event_simulations": [
        {"strategy": "constant", "event": event, "milliseconds": time}
        for event, time in (("none", 144.0), ("crash@1h", 288.0))
    ],
    "learning": {"steps_per_s": 8.5e6, "training_s": 24.4},
    "end_to_end": [{"case": "paper", "seconds": 71.4, "peak_mib": 2048}],
    "services": [
        {"preset": "paper", "seconds": 182, "peak_mib": 5120, "tasks": 38, "work_seconds": 106.0}
    ],
    "start_up_gains": [
        {"means": "all of them", "seconds": 30.0},
        {"means": "archive of Java classes", "seconds": 34.5},
    ],
    "query": {"runs": 200, "streams": 6000, "seconds": 0.163},
}


def test_figures_and_their_place() -> None:
    lines = benchmarks_page.text(FOUND).splitlines()
    assert "| NF | 1.2 | 123 | 1.05 |" in lines
    assert "| strategy | P = 200, uniform | P = 200, burst | speed |" in lines
    assert "| linear | 96.0 | 288.0 | 5.0 |" in lines
    assert "| event | constant |" in lines
    assert "| none | 10.0 |" in lines
    assert "| crash@1h | 5.0 |" in lines
    assert "| paper | 71 s | 75 s | 2.0 GiB |" in lines
    assert "| paper | 182 s | 240 s | 71 s | 5.0 GiB | 38 | 2.0 s |" in lines
    assert "| archive of Java classes | 34.5 s | 4.5 s |" in lines
    said = "\n".join(lines)
    assert "2026-01-02: 2 cores (A processor), 24 GiB" in said
    assert "0.16 s" in said
    assert "8.5 million steps/s" in said
    assert "24 s (goal: 60 s)" in said


def test_strategies_below_the_goal_of_speed_are_named() -> None:
    assert "Below the goal" not in benchmarks_page.text(FOUND)
    slow = {"strategy": "mpc", "arrivals": "burst", "partitions": 200, "milliseconds": 288.1}
    fast = {**slow, "arrivals": "uniform", "milliseconds": 100.0}
    said = benchmarks_page.text(FOUND | {"simulations": [*FOUND["simulations"], fast, slow]})
    assert "Below the goal: mpc. Their decisions" in said


def test_every_case_has_a_goal() -> None:
    assert benchmarks_page.LIMITS.keys() == end_to_end.CASES.keys()


def test_a_night_may_take_a_quarter_longer_than_the_command_line() -> None:
    assert benchmarks_page._goal("nightly", {"nightly": 400.0}) == 500.0
