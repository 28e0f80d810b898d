"""What `groupscale track` says of a run that it has published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pipeline.base.paths import Paths
from pipeline.engine import late_tracking
from pipeline.reporting.regression import outcome
from pipeline.reporting.regression.outcome import Outcome
from tests.pipeline.cli.command import Home, call
from tests.pipeline.reporting.regression.test_words import row
from tests.warehouse import Night, write, write_live

pytestmark = pytest.mark.unit


def ended(status: str) -> Callable[..., str]:
    return lambda *_: status


def test_what_has_moved_is_told_whoever_publishes(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MLflow was down in the night in which a value moved, so no gate has reported it."""
    rows = [row("moved")]
    comparison = Outcome("r1", rows[0]["baseline_run_id"], rows)
    monkeypatch.setattr(late_tracking, "track", ended("published"))
    monkeypatch.setattr(outcome, "recorded", lambda *_: comparison)
    result = call("track", "r1", "--publish")
    assert result.exit_code == 0, result.output
    assert "Warning: Run r1 is published, but 1 value has moved" in result.stdout
    assert "groupscale promote r1" in result.stdout


def test_measurements_are_not_compared(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run on a broker has no baseline; one on a generated stream merely has none yet."""
    write_live(write(Paths(home.warehouse), (Night("first", 1),)))
    monkeypatch.setattr(late_tracking, "track", ended("published"))
    assert "baseline" in call("track", "first").stdout
    result = call("track", "brokered")
    assert result.exit_code == 0, result.output
    assert "baseline" not in result.stdout


def test_a_run_that_is_not_published_has_no_verdict_yet(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unasked(*_: Any) -> Outcome:
        raise AssertionError("nobody has published the run")

    monkeypatch.setattr(late_tracking, "track", ended("failed"))
    monkeypatch.setattr(outcome, "recorded", unasked)
    result = call("track", "r1")
    assert result.exit_code == 0, result.output
    assert "Run r1 is failed, not published" in result.stdout


def test_a_verdict_that_cannot_be_read_leaves_the_run_published(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: Any) -> Outcome:
        raise OSError("gone")

    monkeypatch.setattr(late_tracking, "track", ended("published"))
    monkeypatch.setattr(outcome, "recorded", unreadable)
    result = call("track", "r1")
    assert result.exit_code == 0, result.output
    assert "OSError: gone" in result.stderr
