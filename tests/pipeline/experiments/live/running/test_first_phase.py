"""The phase of a stream's first burst."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from pipeline.experiments.live.running import first_phase, live_streams
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.presets import PRESETS
from pipeline.settings.run_config import RunConfig

pytestmark = pytest.mark.unit


def experiment(**changes: object) -> LiveExperiment:
    own = {"name": "e", "strategies": ("asking:linear",), "arrivals": "drift"}
    return LiveExperiment.model_validate({**own, **changes})


def test_first_bursts_that_drift_are_spread_over_the_second() -> None:
    phases = np.array([first_phase.of_stream(experiment(), seed) for seed in range(2000)])
    assert phases.min() >= 0.0
    assert phases.max() < 1.0
    # Of a uniform share, counts of a tenth are 200 with a standard deviation of 13.4.
    counts, _ = np.histogram(phases, bins=10, range=(0.0, 1.0))
    assert np.abs(counts - 200).max() < 60


def test_a_seed_always_has_the_same_phase() -> None:
    """Pinned: a run that goes on must not change what its earlier strategies met, and claims over
    seeds are published."""
    assert first_phase.of_stream(experiment(), 2024) == pytest.approx(0.19391301393538818, abs=0.0)
    assert first_phase.of_stream(experiment(heartbeat_s=0.5), 2024) == pytest.approx(
        0.19391301393538818, abs=0.0
    )


@pytest.mark.parametrize(
    "changes", [{"phase_s": 0.2}, {"arrivals": "bursts"}, {"arrivals": "even", "phase_s": 0.5}]
)
def test_a_phase_that_is_set_stays(changes: dict[str, object]) -> None:
    own = experiment(**changes)
    assert first_phase.of_stream(own, 2024) == own.phase_s


def test_repeats_of_the_night_differ_and_its_experiments_are_paired() -> None:
    """Heartbeats of 0.5 and 3 s are compared repeat by repeat."""
    night = PRESETS["group-night"].experiments
    made = [
        LiveExperiment.model_validate({**night[name], "name": name})
        for name in ("equal-5", "equal-5-sooner")
    ]
    config = cast(RunConfig, SimpleNamespace(live=made, seed=1))
    phases: dict[str, list[float]] = {}
    for stream in live_streams.streams(config, {}):
        drawn = first_phase.of_stream(made[0], stream.seed)
        phases.setdefault(stream.experiment, []).append(drawn)
    first, sooner = phases.values()
    assert first == sooner
    assert len(set(first)) == 5
