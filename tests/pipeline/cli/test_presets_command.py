"""Presets on one screen, and the experiments of each."""

from __future__ import annotations

import json

import pytest

from pipeline.settings.presets import DEFAULT, PRESETS
from tests.pipeline.cli.command import call

pytestmark = pytest.mark.unit

LINES, COLUMNS = 24, 80
"""A terminal of the usual size."""


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))


def test_all_presets_are_on_one_screen() -> None:
    lines = call("presets").stdout.splitlines()
    assert len(lines) < LINES
    assert max(map(len, lines)) <= COLUMNS
    for preset in PRESETS.values():
        marked = [preset.name, "(default)"] if preset.name == DEFAULT else [preset.name]
        words = [*marked, preset.family, str(len(preset.experiments)), *preset.meaning.split()]
        assert words in [line.split() for line in lines]


@pytest.mark.parametrize("name", PRESETS)
def test_experiments_of_one_preset(name: str) -> None:
    preset = PRESETS[name]
    said = call("presets", name).stdout
    assert preset.meaning in said
    first = [line.split(" ")[0] for line in said.splitlines()]
    assert set(preset.experiments) <= set(first)
    assert ("reference: " in said) == (preset.family == "assignment")


def test_sizes_and_what_is_compared() -> None:
    rows = [" ".join(line.split()) for line in call("presets", "smoke").stdout.splitlines()]
    assert rows[2] == "experiment partitions iterations replicates δ, % compared"
    assert "latency 8 20 3 5 reference +8" in rows


def test_one_preset_as_json() -> None:
    every = json.loads(call("presets", "--json").stdout)
    (one,) = json.loads(call("presets", "smoke", "--json").stdout)
    assert one == next(row for row in every if row["preset"] == "smoke")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_unknown_preset_names_the_known_ones(options: list[str]) -> None:
    result = call("presets", "big", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "`preset` must be one of paper, nightly" in result.stderr
    assert "got 'big'" in result.stderr


def test_columns_are_those_of_the_family() -> None:
    lines = [line.split() for line in call("presets", "learning-smoke").stdout.splitlines()]
    assert lines[2] == ["experiment", "episodes", "seeds", "compared"]
    assert ["smoke", "3", "3", "dqn"] in lines
