"""Settings of a live experiment reach the processes of its runs."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from live.live_settings import LiveSettings
from pipeline.experiments.live.running import first_phase
from pipeline.experiments.live.stages.measure_groups import settings_for
from pipeline.settings.live_experiment import LiveExperiment

pytestmark = pytest.mark.unit

CHANGED: dict[str, Any] = {
    "order": "fixed_first",
    "period_s": 2.5,
    "window_s": 12.0,
    "spare": 2,
    "mode": "cycle",
    "batch_bytes": 20_000,
    "wait_s": 0.5,
    "lease_s": 4.0,
    "speeds": "measured",
    "lag_threshold": 7,
    "arrivals": "drift",
    "phase_s": 0.2,
    "keys": "hashed",
    "group_protocol": "cooperative",
    "heartbeat_s": 0.5,
    "session_s": 8.0,
    "group_events": ("crash@1m",),
    "revoke_s": 2.0,
    "max_poll_records": 50,
    "nodes": 3,
    "record_bytes": 1000,
}


def test_settings_that_a_user_changes_are_those_of_the_processes() -> None:
    experiment = LiveExperiment.model_validate(
        {"name": "e", "strategies": ("asking:linear",), **CHANGED}
    )
    settings = settings_for(experiment, 5, "r.1", "folder")
    assert {name: getattr(settings, name) for name in CHANGED} == CHANGED


def test_both_have_the_same_defaults() -> None:
    settings = settings_for(LiveExperiment(name="e"), 0, "r.1", "folder")
    plain = LiveSettings("r.1", "", "folder", 32, 200_000.0, 240_000.0, 5.0, 60)
    assert {one.name: getattr(settings, one.name) for one in fields(settings)} == {
        one.name: getattr(plain, one.name) for one in fields(plain)
    }


def test_first_bursts_that_drift_have_the_phase_of_their_stream() -> None:
    experiment = LiveExperiment.model_validate(
        {"name": "e", "strategies": ("asking:linear",), "arrivals": "drift"}
    )
    phases = [settings_for(experiment, seed, "r.1", "folder").phase_s for seed in (5, 5, 6)]
    assert phases == [first_phase.of_stream(experiment, seed) for seed in (5, 5, 6)]
    assert phases[0] != phases[2]
