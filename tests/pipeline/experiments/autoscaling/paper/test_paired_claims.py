"""Paired differences of claims, and what their signs say."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from live.live_settings import BURSTS, DRIFT
from pipeline.experiments.autoscaling.paper import paired_claims
from pipeline.experiments.autoscaling.paper.group_claims import claims
from pipeline.experiments.autoscaling.paper.open_settings import OPEN_SETTINGS, OpenSetting
from pipeline.experiments.autoscaling.paper.paired_claims import ALL_DRIFTS, Judgement, judged
from tests.pipeline.experiments.autoscaling.paper.claimed_runs import experiment, runs

pytestmark = pytest.mark.unit

ONE = experiment(strategies=("least_loaded_2", "linear"))
(CLAIM,) = (claim for claim in claims(ONE, "W1") if claim.words == "Algorithm 2 − Linear")

Gain = Callable[[OpenSetting, int], float]


def table(gain: Gain, **changes: Any) -> pd.DataFrame:
    """Differences of shares in time if Algorithm 2 serves so much more than Linear."""
    one = experiment(strategies=("least_loaded_2", "linear"), **changes)
    rows = runs(one, {"least_loaded_2": lambda setting, number: 90.0 + gain(setting, number)})
    frame = pd.DataFrame(paired_claims.differences(rows, CLAIM, 0))
    return frame[frame["quantity"] == "sla_percent"]


def judgement(gain: Gain, **changes: Any) -> Judgement:
    return judged(table(gain, **changes))


def noise(number: int) -> float:
    return 0.2 * math.sin(number)


def test_seeds_are_paired_and_drifts_are_averaged() -> None:
    """An independent mean; all else that differs between seeds is the same on both sides."""
    rows = table(lambda setting, number: 1000.0 * setting.shift_s + noise(number))
    drifts = [1000.0 * one.shift_s for one in OPEN_SETTINGS if one.arrivals == DRIFT]
    expected = sum(drifts) / len(drifts) + sum(noise(n) for n in range(1, 31)) / 30
    pooled = rows[rows["swept"] == ALL_DRIFTS].iloc[0]
    assert pooled["difference"] == pytest.approx(expected)
    # As wide as the noise's own standard error says, without the spread of the drifts.
    error = float(np.std([noise(n) for n in range(1, 31)])) / math.sqrt(30)
    assert pooled["high"] - pooled["low"] == pytest.approx(2 * 1.96 * error, rel=0.1)
    single = rows[rows["arrivals"] == DRIFT].iloc[0]
    assert single["high"] - single["low"] > 1.4 * (pooled["high"] - pooled["low"])


@pytest.mark.parametrize("sign", [1, -1, 0])
def test_the_sign_is_that_of_the_interval(sign: int) -> None:
    ours = judgement(lambda setting, number: sign + noise(number))
    assert (ours.sign, ours.decided_by) == (sign, "")
    assert ours.low <= ours.difference <= ours.high
    assert ours.seeds == 30


def _by(column: str, arrivals: str | None = None) -> Gain:
    def gain(setting: OpenSetting, number: int) -> float:
        value = {"shift_s": setting.shift_s > 0.04 or 0.0 < setting.shift_s < 0.01}
        value |= {"cooldown_s": setting.cooldown_s > 0.0, "keys": setting.keys == "exact"}
        value |= {"arrivals": setting.arrivals == DRIFT}
        changes = value[column] and arrivals in (None, setting.arrivals)
        return (-1.0 if changes else 1.0) + noise(number)

    return gain


@pytest.mark.parametrize(
    ("gain", "decided_by"),
    [
        (_by("shift_s", BURSTS), "the phase"),
        (_by("shift_s", DRIFT), "the drift"),
        (_by("cooldown_s"), "the cooldown"),
        (_by("keys"), "the keys"),
        (_by("arrivals"), "the arrivals"),
    ],
)
def test_a_sign_that_changes_is_decided_by_what_changes_it(gain: Gain, decided_by: str) -> None:
    assert judgement(gain).decided_by == decided_by


def test_chance_in_single_settings_decides_nothing() -> None:
    """Of 48 intervals of 95 %, some would miss 0 on either side: theirs are wider."""
    generator = np.random.default_rng(1)
    drawn = generator.normal(0.0, 1.0, (len(OPEN_SETTINGS), 31))
    places = {setting: place for place, setting in enumerate(OPEN_SETTINGS)}
    ours = judgement(lambda setting, number: float(drawn[places[setting], number]))
    assert ours.decided_by == ""


def test_equal_values_are_no_difference() -> None:
    ours = judgement(lambda setting, number: 1e-12)
    assert (ours.difference, ours.low, ours.high, ours.sign) == (0.0, 0.0, 0.0, 0)


def test_one_seed_has_no_interval() -> None:
    ours = judgement(lambda setting, number: 1.0, claim_seeds=1)
    assert ours.difference == pytest.approx(1.0)
    assert math.isnan(ours.low)
    assert (ours.sign, ours.decided_by) == (0, "")


def test_a_setting_without_a_value_of_every_seed_is_left_out() -> None:
    def gain(setting: OpenSetting, number: int) -> float:
        return math.nan if setting == OPEN_SETTINGS[-1] and number == 3 else 2.0

    rows = table(gain)
    last = rows[rows["swept"] == OPEN_SETTINGS[-1].words].iloc[0]
    assert math.isnan(last["difference"])
    assert judged(rows).difference == pytest.approx(2.0)
