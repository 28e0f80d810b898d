"""Settings that a paper leaves open."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.workloads.partition_splits import split
from algorithms.workloads.three_peaks import three_peaks
from live.live_settings import BURSTS, DRIFT, EVEN, EXACT, HASHED
from pipeline.experiments.autoscaling.paper.open_settings import (
    OPEN_SETTINGS,
    OpenSetting,
    played,
)

pytestmark = pytest.mark.unit

RATES = split(three_peaks(600), 5)


def test_all_settings_of_the_contract_are_swept_and_have_names_of_their_own() -> None:
    assert len({setting.words for setting in OPEN_SETTINGS}) == len(OPEN_SETTINGS) == 13 * 2 * 2
    phases = {one.shift_s for one in OPEN_SETTINGS if one.arrivals == BURSTS}
    assert phases == {0.0, 0.02, 0.05, 0.1, 0.2, 0.5}
    assert {one.cooldown_s for one in OPEN_SETTINGS} == {0.0, 10.0}


@pytest.mark.parametrize("keys", [EXACT, HASHED])
@pytest.mark.parametrize(("arrivals", "shift_s"), [(EVEN, 0.0), (BURSTS, 0.05), (DRIFT, -0.02)])
def test_all_events_of_a_second_are_sent(arrivals: str, shift_s: float, keys: str) -> None:
    """Rounded up to whole events each second, as the authors' producer does."""
    own = played(RATES, OpenSetting(arrivals, shift_s, keys, 0.0), seed=3)
    events = own.rates.sum() * own.settings["step_s"]
    assert events == pytest.approx(np.ceil(three_peaks(600)).sum())


def test_a_decision_comes_as_long_after_a_burst_as_the_setting_says() -> None:
    for offset_s in (0.0, 0.02, 0.5):
        own = played(RATES, OpenSetting(BURSTS, offset_s, EXACT, 10.0), seed=3)
        assert own.settings["decision_offset_s"] == pytest.approx(offset_s)
        assert own.settings["arrivals"] == "burst"
        assert own.settings["cooldown_s"] == 10.0


def test_bursts_drift_from_a_phase_that_the_seed_draws() -> None:
    setting = OpenSetting(DRIFT, 0.005, EXACT, 0.0)
    firsts = {
        int(np.flatnonzero(played(RATES, setting, seed).rates.any(axis=1))[0]) for seed in range(30)
    }
    assert len(firsts) > 10
    assert max(firsts) < 20
    assert np.array_equal(played(RATES, setting, 1).rates, played(RATES, setting, 1).rates)


def test_seeds_are_paired_over_settings() -> None:
    """Cooldowns and arrivals have the same events, so that differences are theirs."""
    first = played(RATES, OpenSetting(EVEN, 0.0, HASHED, 0.0), seed=4)
    second = played(RATES, OpenSetting(BURSTS, 0.1, HASHED, 10.0), seed=4)
    assert np.array_equal(first.rates, second.rates)
