"""Presets on one screen, and the experiments of each."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from pipeline.cli import listings
from pipeline.settings.presets import DEFAULT, PRESETS
from pipeline.settings.settings import MODELS
from tests.pipeline.cli.command import call

pytestmark = pytest.mark.unit

LINES, COLUMNS = 24, 80
"""A terminal of the usual size."""


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))


def names_listed(text: str) -> list[str]:
    """Names that the list prints after each family's, without the mark of the default."""
    body = text.partition("\n\n")[0]
    rows = re.split(rf"^(?:{'|'.join(MODELS)})\b", body, flags=re.MULTILINE)[1:]
    return [name.split()[0] for row in rows for name in " ".join(row.split()).split(", ")]


def test_all_presets_are_on_one_screen() -> None:
    said = call("presets").stdout
    lines = said.splitlines()
    assert len(lines) < LINES
    assert max(map(len, lines)) <= COLUMNS
    assert sorted(names_listed(said)) == sorted(PRESETS)
    assert said.count("(default)") == 1
    assert set(MODELS) <= {line.split(" ")[0] for line in lines}


def test_twice_as_many_presets_still_are(monkeypatch: pytest.MonkeyPatch) -> None:
    further = {f"{name}-2": replace(preset, name=f"{name}-2") for name, preset in PRESETS.items()}
    monkeypatch.setattr(listings, "PRESETS", {**PRESETS, **further})
    said = call("presets").stdout
    assert sorted(names_listed(said)) == sorted([*PRESETS, *further])
    assert len(said.splitlines()) < LINES
    assert max(map(len, said.splitlines())) <= COLUMNS


@pytest.mark.parametrize("family", MODELS)
def test_presets_of_a_family_with_what_they_run(family: str) -> None:
    lines = call("presets", "--family", family).stdout.splitlines()
    assert len(lines) < LINES
    assert max(map(len, lines)) <= COLUMNS
    own = [preset for preset in PRESETS.values() if preset.family == family]
    assert len(lines) == 2 + len(own)
    for preset in own:
        marked = [preset.name, "(default)"] if preset.name == DEFAULT else [preset.name]
        words = [*marked, str(len(preset.experiments)), *preset.meaning.split()]
        assert words in [line.split() for line in lines]


def test_a_family_as_json() -> None:
    every = json.loads(call("presets", "--json").stdout)
    rows = json.loads(call("presets", "--family", "live", "--json").stdout)
    assert rows == [row for row in every if row["family"] == "live"]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_unknown_family_names_the_known_ones(options: list[str]) -> None:
    result = call("presets", "--family", "planning", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--family must be one of {', '.join(MODELS)} (got 'planning')" in result.stderr


def test_a_preset_and_a_family_contradict_each_other() -> None:
    result = call("presets", "smoke", "--family", "live")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "leave out NAME or --family" in result.stderr


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
