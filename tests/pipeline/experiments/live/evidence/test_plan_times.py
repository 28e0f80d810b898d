"""Figures of plans, from the journal and the evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.plan_times import plan_times
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> run_folder.RunFolder:
    place: Path = tmp_path_factory.mktemp("plans") / "run"
    settings = synthetic_folders.settings_for(place, partitions=6, iterations=8)
    return run_folder.read(synthetic_folders.make(place, settings=settings))


def test_one_row_per_plan_of_the_strategy(folder: run_folder.RunFolder) -> None:
    rows = plan_times(folder)
    assert [row.plan for row in rows] == list(range(1, len(rows) + 1))
    assert len(rows) == len(folder.said("plan")) - 1  # the last plan ends the run
    assert rows[0].iteration == 1
    assert (rows[0].consumers_before, rows[0].moves) == (0, 0)
    assert rows[0].created == rows[0].consumers_after > 0
    assert sum(row.moves for row in rows) > 3
    assert all(row.reason == "iteration" for row in rows)
    assert all((row.rscore > 0) == (row.moves > 0) for row in rows)


def test_times(folder: run_folder.RunFolder) -> None:
    for row in plan_times(folder):
        assert row.speeds_known_s is None
        assert row.decided_s == pytest.approx(0.005 if row.created else 0.01)
        assert row.handed_s == (None if row.created else pytest.approx(0.003))
        assert row.created_s == (pytest.approx(0.025) if row.created else None)
        # Δt4 begins with the first command, or when the last new consumer is ready.
        begun = 0.03 if row.created else 0.01
        assert row.moved_s == pytest.approx(synthetic_folders.START_S - begun)


def test_gaps_belong_to_the_plan_of_their_move(folder: run_folder.RunFolder) -> None:
    rows = plan_times(folder)
    assert all((row.gap_max_s is None) == (row.moves == 0) for row in rows)
    measured = [(row.gap_p50_s, row.gap_max_s) for row in rows if row.gap_max_s is not None]
    assert measured
    assert all(0.04 <= median <= most for median, most in measured if median is not None)


def test_a_plan_that_is_reported_twice_counts_once(folder: run_folder.RunFolder) -> None:
    first = folder.said("plan")[0]
    again = {**first, "moves": 7}
    rows = plan_times(folder._replace(entries=[*folder.entries, again]))
    assert len(rows) == len(plan_times(folder))
    assert rows[0].moves == 7


def test_a_plan_for_a_lost_consumer_answers_no_measurement(folder: run_folder.RunFolder) -> None:
    last = next(entry for entry in reversed(folder.said("plan")) if entry["reason"] != "end")
    lost = {**last, "reason": "lost", "measured_ns": last["measured_ns"] - 10**10}
    row = plan_times(folder._replace(entries=[*folder.entries, lost]))[-1]
    assert row.reason == "lost"
    assert row.decided_s is row.handed_s is None
    assert row.moved_s is not None


def test_times_that_an_earlier_controller_took_with_it_are_missing(
    folder: run_folder.RunFolder,
) -> None:
    first = {**folder.said("plan")[0], "committed_ns": None, "hello_ns": None, "started_ns": None}
    (row, *_) = plan_times(folder._replace(entries=[*folder.entries, first]))
    assert row.created_s is None
    assert row.moved_s is None
