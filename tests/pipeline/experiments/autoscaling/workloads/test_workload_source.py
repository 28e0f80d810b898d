"""Workloads by name: files, and profiles with their defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.workloads import load_profiles
from algorithms.workloads.partition_splits import split
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.simulation import simulation_settings
from pipeline.experiments.autoscaling.workloads import workload_source
from pipeline.experiments.autoscaling.workloads.workload_source import SplitChoice, Workload

pytestmark = pytest.mark.unit


def load(
    source: str, partitions: int | None = None, how: str | None = None, **options: Any
) -> Workload:
    settings = simulation_settings.from_options([f"{key}={options[key]}" for key in options])
    group = simulation_settings.check_alone(settings.group)
    return workload_source.load(
        source, partitions, workload_source.split_of(how), settings.workload, group
    )


@pytest.mark.parametrize("profile", load_profiles.names())
def test_a_profile_by_default(profile: str) -> None:
    """Two hours, nine partitions, and four consumers at the peak."""
    generated = load(profile)
    assert (generated.name, generated.rates.shape, generated.step_s) == (profile, (7200, 9), 1.0)
    assert generated.digest is None
    total = load_profiles.generate(profile, 7200, 160.0, 800.0, 0)
    np.testing.assert_array_equal(generated.rates, split(total, 9))


def test_a_profile_with_settings() -> None:
    options = {"steps": 500, "low": 10, "high": 90.5, "seed": 7, "rounding": "ceil", "step_s": 2}
    generated = load("bursts", 4, "skew", arrivals="burst", **options)
    total = load_profiles.generate("bursts", 500, 10.0, 90.5, 7)
    rates = split(total, 4, "skew", rounding="ceil")
    np.testing.assert_array_equal(generated.rates, rates)
    assert generated.step_s == 2.0
    cut = load("bursts", 4, "skew", **options)
    np.testing.assert_array_equal(cut.rates, np.repeat(rates, 2, axis=0))
    assert (cut.step_s, cut.averaged_s) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("partitions", "how"),
    [(1, None), (2, None), (3, "skew"), (9, "skew"), (64, None), (None, "8,1,1"), (2, "1,0")],
)
@pytest.mark.parametrize("mu", [0.5, 200.0, 1e6])
def test_no_partition_of_a_profile_overloads_its_consumer(
    partitions: int | None, how: str | None, mu: float
) -> None:
    """One consumer is enough for the fastest partition, and four for all."""
    generated = load("steady", partitions, how, mu=mu)
    busiest, total = generated.rates.max(), generated.rates.sum(axis=1).max()
    assert busiest <= 0.8 * mu * (1 + 1e-12)
    assert total <= 4.0 * mu * (1 + 1e-12)
    assert max(busiest / (0.8 * mu), total / (4.0 * mu)) == pytest.approx(1.0)


def test_weights_say_how_many_partitions_there_are() -> None:
    assert workload_source.split_of("4,2,1.5") == SplitChoice("weights", (4.0, 2.0, 1.5))
    assert load("steady", None, "4,2,1").rates.shape == (7200, 3)


def test_a_profile_takes_precedence_over_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("steady").write_text("iteration,a,b\n1,5,6\n")
    assert load("steady").digest is None
    assert load("./steady").rates.tolist() == [[5.0, 6.0]]


@pytest.mark.parametrize(
    ("source", "partitions", "how", "options", "words"),
    [
        ("none.csv", None, None, {}, ("none.csv: not found", "steady, ramp", "flash_crowd")),
        ("x" * 5000, None, None, {}, ("not found",)),
        ("a\0b", None, None, {}, ("not found",)),
        ("/", None, None, {}, ("is a folder; name a file",)),
        ("steady", 0, None, {}, ("partitions", "got 0")),
        ("steady", 5, "1,2", {}, ("--split", "2 weights for 5")),
        ("steady", 2, "skew", {}, ("partitions",)),
        ("steady", None, "even", {}, ("--split", "'even'")),
        ("steady", None, "1,nan", {}, ("weights must be finite",)),
        ("steady", None, None, {"steps": 0}, ("steps", "got 0")),
        ("steady", None, None, {"steps": 1.5}, ("steps must be an integer", "1.5")),
        ("steady", 1_000_000, None, {}, ("25,000,000", "1,000,000 partitions × 7,200 steps")),
        ("steady", None, None, {"high": -1}, ("high must be at least 0", "got -1")),
        ("steady", None, None, {"high": 1e16}, ("high must be at least 0 and at most 1e+15",)),
        ("steady", None, None, {"low": 900}, ("low must be at least 0 and at most 800", "900")),
        ("steady", None, None, {"high": "lots"}, ("high must be a finite number", "'lots'")),
        ("steady", None, None, {"rounding": "up"}, ("rounding must be one of", "'up'")),
        ("steady", None, None, {"mu": 0}, ("mu", "got 0")),
        ("steady", None, None, {"seed": -1}, ("seed must be", "-1")),
        ("steady", None, None, {"step_s": "x"}, ("step_s must be a finite number", "'x'")),
        ("steady", None, None, {"steeps": 5}, ("--set steeps=5: unknown key", "mu", "steps")),
        ("t.csv", None, None, {"steps": 5}, ("--set steps=5: only applies to a generated",)),
    ],
)
def test_what_is_refused(
    source: str, partitions: int | None, how: str | None, options: dict[str, Any], words: tuple[str]
) -> None:
    with pytest.raises(InputError) as caught:
        load(source, partitions, how, **options)
    for part in words:
        assert part in str(caught.value)


def test_a_recorded_rate_too_high(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("iteration,a,b\n1,5,6\n2,1e308,1e308\n")
    with pytest.raises(InputError, match=r"t.csv: the total rate can be at most 1e\+15 events/s"):
        load(str(file))


def test_a_setting_without_a_value() -> None:
    for option in ("mu", "mu=", "=5", ""):
        with pytest.raises(InputError, match="KEY=VALUE"):
            simulation_settings.from_options([option])
