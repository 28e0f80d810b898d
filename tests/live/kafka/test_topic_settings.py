"""How long each topic keeps what it gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from live.kafka.topic_settings import KINDS, MESSAGE_SECONDS, created_kinds, new_topic
from pipeline.settings.live_experiment import MOST_SECONDS
from tests.live.kafka_probe import run_settings

pytestmark = pytest.mark.unit


def config(kind: str, folder: Path) -> dict[str, str]:
    return dict(new_topic(run_settings("b:1", folder), kind, None).config)


def test_records_stay_and_messages_go_after_a_week(tmp_path: Path) -> None:
    kept = {kind: config(kind, tmp_path).get("retention.ms") for kind in KINDS}
    week = "604800000"
    assert kept == {
        **{"data": "-1", "state": None, "progress": None},
        **dict.fromkeys(("speed", "command", "event"), week),
    }


def test_no_measured_run_outlives_its_messages() -> None:
    assert 2 * MOST_SECONDS < MESSAGE_SECONDS


def test_decisions_and_progress_are_compacted(tmp_path: Path) -> None:
    compacted = {k for k in KINDS if config(k, tmp_path)["cleanup.policy"] == "compact"}
    assert compacted == {"state", "progress"}


def test_a_topic_of_the_user_is_not_created(tmp_path: Path) -> None:
    settings = run_settings("b:1", tmp_path)
    assert created_kinds(settings) == KINDS
    taken = replace(settings, data_topic="orders")
    assert created_kinds(taken) == ("speed", "command", "event", "state", "progress")
    assert [taken.topic(kind) for kind in created_kinds(taken)] == [
        settings.topic(kind) for kind in created_kinds(taken)
    ]
