"""Integrity of a run is counted again from its evidence."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pipeline.base.errors import InputError, StageError
from pipeline.base.paths import Paths
from pipeline.experiments.live.running import live_folders, live_streams
from pipeline.experiments.live.running.verification import verify
from pipeline.settings.load import resolve
from pipeline.warehouse.runs.context import RunContext
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow


def context(tmp_path: Path, preset: str = "live-smoke") -> RunContext:
    config = resolve(preset, None, [], [])
    return RunContext("r1", config, Paths(tmp_path), "me", datetime.now(UTC))


@pytest.fixture
def run(tmp_path: Path) -> RunContext:
    """A run whose broker was perfect."""
    ctx = context(tmp_path)
    (experiment,) = ctx.config.live
    for stream_id in live_streams.names(experiment):
        for strategy in experiment.strategies:
            place = live_folders.of_run(ctx).of_strategy("smoke", stream_id, strategy)
            settings = synthetic_folders.settings_for(place, partitions=8, iterations=6)
            synthetic_folders.make(place, strategy, settings=settings)
    return ctx


def evidence(ctx: RunContext, strategy: str) -> Path:
    return live_folders.of_run(ctx).of_strategy("smoke", "smoke-d25-uniform-r0001", strategy)


def test_a_good_run_is_whole(run: RunContext) -> None:
    verifications = list(verify(run))
    assert [one.strategy for one in verifications] == list(run.config.live[0].strategies)
    assert all(one.is_whole and one.sent == one.read > 1000 for one in verifications)


def add_fault(ctx: RunContext, strategy: str, kind: str) -> None:
    journal = evidence(ctx, strategy) / "controller.jsonl"
    fault = {"what": "fault", "kind": kind, "at_ns": 1}
    journal.write_text(journal.read_text() + json.dumps(fault) + "\n")


def test_a_missing_process_is_lost_records(run: RunContext) -> None:
    """And faults excuse repeated records only."""
    next((evidence(run, "MWF") / "evidence").iterdir()).unlink()
    add_fault(run, "MWF", "lost")
    lossy, good = verify(run)
    assert lossy.lost > 0
    assert lossy.faults == 1
    assert not lossy.is_whole
    assert good.is_whole
    assert lossy._replace(lost=0, twice=5).is_whole
    assert not lossy._replace(lost=0, twice=5, excuses=0).is_whole


@pytest.mark.parametrize(
    ("kind", "excuses"),
    [("exited", 1), ("lost", 1), ("fenced", 1), ("lag", 1), ("recover", 0), ("stale", 0)],
)
def test_only_the_end_of_a_consumer_excuses_repeated_records(
    run: RunContext, kind: str, excuses: int
) -> None:
    add_fault(run, "MWF", kind)
    verification, _ = verify(run)
    assert (verification.faults, verification.excuses) == (1, excuses)
    assert verification._replace(twice=1).is_whole == bool(excuses)


def test_without_evidence_there_is_nothing_to_count(tmp_path: Path) -> None:
    with pytest.raises(StageError, match="no evidence"):
        list(verify(context(tmp_path)))
    with pytest.raises(InputError, match="r1 is not a live run"):
        list(verify(context(tmp_path, "smoke")))
