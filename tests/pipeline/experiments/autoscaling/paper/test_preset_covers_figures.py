"""Preset `autoscaling-papers` simulates what published figures are compared with, and no more."""

from __future__ import annotations

import pytest

from pipeline.experiments.autoscaling.published import FIGURES
from pipeline.settings.scaling_presets import PAPERS

pytestmark = pytest.mark.unit


def test_the_preset_has_the_strategies_of_all_figures() -> None:
    wanted: dict[str, set[str]] = {}
    for figure in FIGURES:
        split, partitions, as_read = figure.partitioning
        name = f"{figure.workload.name}-{split}-{partitions}" + "-cut" * as_read
        wanted.setdefault(name, set()).add(figure.run.candidate.label)
    assert {name: set(settings["strategies"]) for name, settings in PAPERS.items()} == wanted


def test_the_preset_has_the_authors_splits() -> None:
    for figure in FIGURES:
        split, partitions, as_read = figure.partitioning
        settings = PAPERS[f"{figure.workload.name}-{split}-{partitions}" + "-cut" * as_read]
        assert (settings["split"], settings["partitions"]) == (split, partitions)
        assert settings.get("last_rate") == (figure.workload.last_as_read if as_read else None)
        assert settings["rounding"] == "ceil"
