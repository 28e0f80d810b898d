"""The file of settings, and the name of the topic that consumers read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from live.kafka.topic_settings import KINDS
from live.live_settings import load
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit


def test_a_topic_of_the_user_takes_the_place_of_the_runs_own() -> None:
    own, taken = short_settings(), short_settings(data_topic="orders")
    assert own.topic("data") == "gs.r.data"
    assert taken.topic("data") == "orders"
    others = [kind for kind in KINDS if kind != "data"]
    assert [taken.topic(kind) for kind in others] == [f"gs.r.{kind}" for kind in others]


def test_the_file_of_a_run_of_its_own_names_no_topic(tmp_path: Path) -> None:
    settings = short_settings()
    settings.save(tmp_path / "settings.json")
    content = json.loads((tmp_path / "settings.json").read_text())
    assert not {"data_topic", "first_offsets"} & content.keys()
    assert load(tmp_path / "settings.json") == settings


def test_first_offsets_are_the_same_in_the_file(tmp_path: Path) -> None:
    settings = short_settings(data_topic="orders", first_offsets=(4, 2**40))
    settings.save(tmp_path / "settings.json")
    assert load(tmp_path / "settings.json") == settings
