"""What ``--commits`` and ``--shared-limit`` mean for a simulated group."""

from __future__ import annotations

import pytest

from algorithms.simulation.group_settings import DEFAULTS, check_settings
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.simulation.simulation_settings import (
    commit_s,
    from_options,
    with_options,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "seconds"), [("auto", DEFAULTS["commit_s"]), ("batch", 0.1), ("0.01", 0.01), ("7", 7)]
)
def test_words_and_seconds_are_settings_of_the_group(text: str, seconds: float) -> None:
    interval_s = commit_s(text)
    assert interval_s == seconds
    assert check_settings({"commit_s": interval_s}, 3, 1.0, None).commit_s == seconds


@pytest.mark.parametrize("text", ["", "never", "0", "-1", "nan", "inf", "0.001", "5s"])
def test_others_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"--commits .*: must be auto .*, batch .*, or "):
        commit_s(text)


def test_options_are_settings_of_the_group() -> None:
    settings = with_options(from_options(["mu=300"]), "batch", "2k/s")
    assert settings.group == {"mu": 300, "commit_s": 0.1, "shared_limit": 2000.0}
    assert with_options(settings, None, None) == settings


@pytest.mark.parametrize("text", ["", "0", "-5", "nan", "many", "inf"])
def test_a_limit_is_a_rate_above_0(text: str) -> None:
    with pytest.raises(InputError, match=r"--shared-limit .*: must be a rate above 0"):
        with_options(from_options([]), None, text)


@pytest.mark.parametrize("key", ["commit_s", "shared_limit"])
def test_a_setting_is_given_once(key: str) -> None:
    with pytest.raises(InputError, match=f"contradicts --set {key}; leave out one"):
        with_options(from_options([f"{key}=5"]), "7", "900")
