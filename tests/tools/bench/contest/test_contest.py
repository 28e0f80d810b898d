"""The contest: its parts share no data, points and parameters follow their definitions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tools.bench.contest import __main__ as contest
from tools.bench.contest import contest_scores, contest_settings, contest_workloads
from tools.bench.contest.contest_settings import Setting
from tools.bench.contest.contest_workloads import HELD_OUT, SEEDS, TRAINING, Published

pytestmark = pytest.mark.unit

PUBLISHED = Published(np.linspace(1.0, 2.0, 60), np.arange(1.0, 101.0))
EQUAL = Setting(0.05, "eager", 0.0, burst=False, skewed=False, partitions=5)


def test_all_settings_occur_once() -> None:
    every = list(contest_settings.settings(64, 200))
    assert len(set(every)) == len({one.label for one in every}) == 48
    assert {(one.skewed, one.partitions) for one in every} == {(False, 64), (True, 200)}


def test_held_out_data_is_not_for_training() -> None:
    assert not set(SEEDS[TRAINING]) & set(SEEDS[HELD_OUT])
    training = contest_workloads.entries(TRAINING, PUBLISHED, EQUAL)
    held_out = contest_workloads.entries(HELD_OUT, PUBLISHED, EQUAL)
    steps = {one.source: one.rates.shape[0] for one in training}
    assert steps["W2"] == 60
    assert {one.rates.shape[0] for one in held_out if one.source == "W2"} == {40}
    assert "W1" not in steps
    assert len(held_out) == 7 * len(SEEDS[HELD_OUT])


@pytest.mark.parametrize("burst", [False, True])
@pytest.mark.parametrize("skewed", [False, True])
def test_the_peak_is_at_four_fifths_of_what_replicas_can_serve(burst: bool, skewed: bool) -> None:
    """The largest partition decides: no number of replicas serves more than it allows."""
    setting = EQUAL._replace(burst=burst, skewed=skewed, partitions=9)
    recorded = contest_workloads.entries(TRAINING, PUBLISHED, setting)[0].rates
    capacity = 99.5 if burst else 200.0
    assert np.quantile(recorded.max(axis=1), 0.995) == pytest.approx(0.8 * capacity)
    assert recorded[0].max() / recorded[0].sum() == pytest.approx(0.25 if skewed else 1 / 9)


def test_published_files(tmp_path: Path) -> None:
    first, second = tmp_path / "one.csv", tmp_path / "two.csv"
    first.write_text("0.5,1.25\n1.5,2.0\n")
    second.write_text("\ufeff2022-09-05 16:34:44,0.69\n", encoding="utf-8")
    published = contest_workloads.read_published(first, second)
    assert [each.tolist() for each in published] == [[1.25, 2.0], [0.69]]


def test_settings_that_were_judged_before_are_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    workload, out = tmp_path / "rates.csv", tmp_path / "rows.json"
    workload.write_text("0,1.0\n")
    first, *others = contest_settings.settings()
    out.write_text("".join(json.dumps({"setting": one.label}) + "\n" for one in others))
    monkeypatch.setattr(contest, "judged", lambda *arguments: {"setting": arguments[2].label})
    contest.main([str(workload), str(workload), "--out", str(out)])
    assert json.loads(capsys.readouterr().out) == {"setting": first.label}
    assert len(out.read_text().splitlines()) == 48
    contest.main([str(workload), str(workload), "--out", str(out)])
    assert capsys.readouterr().out == ""


def test_sources_count_the_same() -> None:
    weights = contest_scores.weights_of(["W1", "ramp", "ramp"])
    assert weights.tolist() == [0.5, 0.25, 0.25]
    points = np.array([[[0.2, 0.0]], [[0.4, 0.4]], [[0.4, 0.8]]])
    assert contest_scores.area(points, weights) == pytest.approx(0.7 * 0.7)


def test_parameters_are_picked_at_prices() -> None:
    """The third is dominated; the first is best where events are cheap, the second where dear."""
    points = np.array([[[0.1, 0.9], [0.8, 0.0], [0.9, 0.9]]])
    assert contest_scores.picked(points, np.ones(1)).tolist() == [0, 1]


def test_the_cheapest_of_those_that_are_seldom_late() -> None:
    """Means count: the second is too late on one workload, and not on average."""
    weights = np.full(2, 0.5)
    points = np.array([[[0.6, 0.0, 1.0], [0.4, 0.10, 2.0]], [[0.6, 0.0, 3.0], [0.4, 0.0, 4.0]]])
    seldom = contest_scores.cheapest(points, weights, late=0.05)
    assert seldom is not None
    assert seldom.tolist() == pytest.approx([0.4, 0.05, 3.0])
    assert contest_scores.cheapest(points[:, 1:], weights, late=0.04) is None


def test_differences_are_paired_over_sources() -> None:
    """What workloads share cancels out; a difference on one source alone is unsure."""
    rng = np.random.default_rng(1)
    weights, sources = np.full(8, 0.125), list("abcdefgh")
    other = np.stack([rng.uniform(0.2, 0.8, (8, 1)), np.zeros((8, 1))], axis=-1)
    one = other - np.array([0.1, 0.0])
    assert contest_scores.difference(one, other, weights, sources) == pytest.approx((0.1,) * 5)
    single = other.copy()
    single[0, 0, 0] -= 0.1
    difference = contest_scores.difference(single, other, weights, sources)
    assert difference.low == pytest.approx(0.0)
    assert difference.low_t < difference.low < difference.gain < difference.high


def test_draws_of_one_source_are_no_evidence_of_their_own() -> None:
    """Three times the same workload of each source: the interval stays, and does not narrow."""
    rng = np.random.default_rng(2)
    gains = rng.normal(0.05, 0.05, 6)
    other = np.stack([np.full((6, 1), 0.5), np.zeros((6, 1))], axis=-1)
    one = other.copy()
    one[:, 0, 0] -= gains
    sources = list("abcdef")
    once = contest_scores.difference(one, other, np.full(6, 1 / 6), sources)
    thrice = contest_scores.difference(
        np.repeat(one, 3, axis=0),
        np.repeat(other, 3, axis=0),
        np.full(18, 1 / 18),
        [source for source in sources for _ in range(3)],
    )
    assert thrice == pytest.approx(once)
    spread = 2.571 * gains.std(ddof=1) / 6**0.5
    assert once.high_t - once.gain == pytest.approx(spread, rel=1e-3)


def test_headroom_has_the_same_parameters_with_and_without_placement() -> None:
    every = contest_settings.competitors(5)
    grids = [
        {each.parameters for each in every if each.strategy == name}
        for name in ("headroom", contest_settings.RIVAL)
    ]
    assert grids[0] == grids[1]
    assert len(grids[0]) == 32
    own = [dict(each.parameters)["w"] for each in every if each.strategy == contest_settings.OURS]
    assert own == sorted(own)
    assert len(own) == len(contest_scores.PRICES)
    assert {"shadow_hedge", "constant", "linear", "keda_hpa"} <= {one.strategy for one in every}
