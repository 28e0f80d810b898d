"""The page of settings has each one, with its default, its limits and its meaning."""

from __future__ import annotations

import re

import pytest

from pipeline.settings import settings_page
from pipeline.settings.settings import KEYS, MODELS

pytestmark = pytest.mark.unit

ROWS = {
    title: dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", part, re.MULTILINE))
    for title, _, part in (
        section.partition("\n") for section in settings_page.page().split("\n## ")[1:]
    )
}
LISTED = {name for rows in ROWS.values() for name in rows}


@pytest.mark.parametrize("family", MODELS)
def test_every_key_of_an_experiment_is_listed(family: str) -> None:
    assert set(KEYS[family]) - LISTED == set()


def test_every_setting_has_a_meaning() -> None:
    meanings = {
        (title, name): row.rpartition("| ")[2]
        for title, rows in ROWS.items()
        for name, row in rows.items()
    }
    assert [place for place, text in meanings.items() if not text.endswith(".")] == []


@pytest.mark.parametrize(
    ("title", "name", "row"),
    [
        ("Live experiments", "nodes", "1 | one of 1, 3 brokers |"),
        ("Experiments on autoscaling", "rounding", "none | one of none, ceil |"),
        ("Consumer groups", "min_replicas", "at most `max_replicas` |"),
        ("Consumer groups", "max_replicas", "– | an integer between 1 and 1,000,000 replicas |"),
        ("Agents", "hidden", "64,128,256 | a list of at least one"),
    ],
)
def test_rows_say_what_is_declared(title: str, name: str, row: str) -> None:
    assert row in ROWS[title][name]


def test_a_setting_is_listed_where_it_is_declared() -> None:
    assert "startup_s" not in ROWS["Experiments on autoscaling"]
    assert {"window_s", "record_bytes"} <= ROWS["Live experiments"].keys()
