"""Distributions of start-ups: how they are written, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.group_defaults import GroupSettings
from algorithms.core import startup_times
from algorithms.core.setting import SettingError, declared

pytestmark = pytest.mark.unit

LANDAU = "10-50:0.88,50-500:0.12"


def checked(value: object) -> Any:
    return declared(GroupSettings)["startup_s"].check(value)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        (LANDAU, LANDAU),
        ("10-50@0.88+50-500@0.12", LANDAU),
        (" 10-50: 0.88, 50-500: 0.12 ", LANDAU),
        ("20-20:1", "20-20:1"),
        ("0-.5:1.0", "0-.5:1.0"),
        ("1-2:0.1," * 9 + "1-2:0.1", "1-2:0.1," * 9 + "1-2:0.1"),
        ("landau_2024", "landau_2024"),
    ],
)
def test_forms(text: str, stored: str) -> None:
    assert checked(text) == stored


def test_one_number_stays_a_number() -> None:
    assert (checked(20), checked(0.5)) == (20.0, 0.5)
    assert (startup_times.mean_s(20.0), startup_times.text_of(20.0)) == (20.0, "")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("10-50:0.5,50-500:0.4", "must be pieces whose shares sum to 1, not 0.9 (got '10-50:0.5"),
        ("50-10:1", "must be pieces FROM-TO:SHARE with FROM at most TO (got '50-10:1')"),
        ("-5-10:1", "must be pieces between 0 and 1e+09 s"),
        ("5--10:1", "must be pieces between 0 and 1e+09 s"),
        ("5-10000000000:1", "must be pieces between 0 and 1e+09 s"),
        ("5-10:1.5,10-20:-0.5", "must be pieces with shares above 0"),
        ("5-10:1,10-20:0", "must be pieces with shares above 0"),
        *(
            (value, "a number between 0 and 1e+09 s, or times with shares such as 10-50:0.88,")
            for value in ("landau", "", "20", "5-10", "5-10:1,", "nan-10:1", "5-inf:1", "5-1e3:1")
        ),
        *((value, "must be a number between 0 and 1e+09 s, or") for value in (-1, None, True, [5])),
    ],
)
def test_what_is_no_distribution_is_refused_on_one_line(value: object, says: str) -> None:
    with pytest.raises(SettingError) as caught:
        checked(value)
    assert str(caught.value).startswith("startup_s must be ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.names == ("startup_s",)


def test_the_published_distribution_is_that_of_the_paper() -> None:
    first, second = startup_times.pieces("landau_2024")
    assert (first, second) == ((10.0, 50.0, 0.88), (50.0, 500.0, 0.12))
    assert startup_times.mean_s("landau_2024") == pytest.approx(0.88 * 30.0 + 0.12 * 275.0)


def test_a_scaled_distribution_is_one_again_with_the_same_shares() -> None:
    third = startup_times.scaled("landau_2024", 1.0 / 3.0)
    assert isinstance(third, str)
    assert checked(third) == third
    assert startup_times.mean_s(third) == pytest.approx(startup_times.mean_s("landau_2024") / 3.0)
    assert [each.share for each in startup_times.pieces(third)] == [0.88, 0.12]
    assert startup_times.scaled(10.0, 3.0) == 30.0


@pytest.mark.parametrize("text", [LANDAU, "10-50@0.88+50-500@0.12", "landau_2024"])
def test_a_candidate_is_read_back_from_its_label(text: str) -> None:
    one = candidates.candidate("linear", f_up=0.5, startup_s=text)
    assert candidates.parse(one.label, 4, 100.0, 0.5)[0].label == one.label
    (again,) = candidates.parse(one.label, 4, 100.0, 0.5)
    assert checked(again.settings["startup_s"]) == checked(text)
