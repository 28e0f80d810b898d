"""What ``--scale`` makes of capacities and batches."""

from __future__ import annotations

import pytest

from pipeline.base.errors import InputError
from pipeline.cli.commands.live_scale import scaled
from pipeline.settings.load import resolve

pytestmark = pytest.mark.unit


def test_capacities_of_the_preset_are_scaled() -> None:
    assert scaled("live-smoke", [], 1.0) == []
    (base,) = resolve("live-smoke", None, [], []).live
    (experiment,) = resolve("live-smoke", None, scaled("live-smoke", [], 0.5), []).live

    assert experiment.capacity == base.capacity / 2
    assert experiment.consumer_rate == base.consumer_rate / 2


def test_only_the_products_need_to_be_within_bounds() -> None:
    sets = ["capacity=50MB", "consumer_rate=60MB"]
    (experiment,) = resolve("live-smoke", None, sets + scaled("live-smoke", sets, 0.01), []).live

    assert (experiment.capacity, experiment.consumer_rate) == (500_000.0, 600_000.0)


def test_batches_are_scaled_where_there_are_any() -> None:
    sets = ["mode=cycle", "batch_bytes=333333"]

    assert "batch_bytes=166666" in scaled("live-smoke", sets, 0.5)
    assert not any("batch_bytes" in words for words in scaled("live-smoke", sets[1:], 0.5))


def test_other_settings_are_checked_with_the_trace_alone() -> None:
    """They may suit its partitions and iterations, not those of the preset."""
    sets = ["strategies=kd_40", "death_iteration=80"]

    assert scaled("live", sets, 0.5, is_recorded=True)[-1] == "scale=0.5"


@pytest.mark.parametrize("scale", [0.0, -1.0, 1e9, float("nan"), float("inf")])
def test_factors_out_of_bounds_are_refused(scale: float) -> None:
    with pytest.raises(InputError, match=r"`--scale` must be between 0\.01 and 100"):
        scaled("live", [], scale)


@pytest.mark.parametrize("value", ["abc", "NaN", "[1]"])
def test_an_invalid_capacity_is_refused_as_without_a_scale(value: str) -> None:
    sets = [f"capacity={value}"]
    with pytest.raises(InputError, match="`capacity`"):
        resolve("live-smoke", None, sets + scaled("live-smoke", sets, 0.5), [])
