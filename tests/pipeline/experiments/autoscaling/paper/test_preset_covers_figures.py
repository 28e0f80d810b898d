"""Preset `autoscaling-papers` simulates what published figures are compared with, and no more."""

from __future__ import annotations

import pytest

from pipeline.experiments.autoscaling.paper.figure_kinds import Figure
from pipeline.experiments.autoscaling.published import FIGURES
from pipeline.inputs.traces.published_workloads import WORKLOADS
from pipeline.settings.scaling_presets import PAPERS

pytestmark = pytest.mark.unit


def preset_name(figure: Figure) -> str:
    """Experiment of the preset that has a figure's workload, such as ``W2-equal-5-cut``."""
    return "-".join(figure.workload.replace("last sample ", "").replace(",", "").split())


def test_the_preset_has_the_strategies_of_all_figures() -> None:
    expected: dict[str, set[str]] = {}
    for figure in FIGURES:
        expected.setdefault(preset_name(figure), set()).add(figure.candidate)
    assert {name: set(settings["strategies"]) for name, settings in PAPERS.items()} == expected


def test_the_preset_has_the_authors_splits() -> None:
    for name, settings in PAPERS.items():
        workload, split, partitions, *cut = name.split("-")
        assert (settings["split"], settings["partitions"]) == (split, int(partitions))
        (published,) = (one for one in WORKLOADS if one.name == workload)
        assert settings.get("last_rate") == (published.last_as_read if cut else None)
        assert settings["rounding"] == "ceil"
