"""What ``--commits`` means for a simulated group."""

from __future__ import annotations

import pytest

from algorithms.simulation.group_settings import DEFAULTS, check_settings
from pipeline.autoscaling.simulation_settings import commit_s
from pipeline.errors import InputError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "seconds"), [("auto", DEFAULTS["commit_s"]), ("batch", 0.1), ("0.01", 0.01), ("7", 7)]
)
def test_words_and_seconds_are_settings_of_the_group(text: str, seconds: float) -> None:
    found = commit_s(text)
    assert found == seconds
    assert check_settings({"commit_s": found}, 3, 1.0, None).commit_s == seconds


@pytest.mark.parametrize("text", ["", "never", "0", "-1", "nan", "inf", "0.001", "5s"])
def test_others_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"--commits .*: must be auto .*, batch .*, or "):
        commit_s(text)
