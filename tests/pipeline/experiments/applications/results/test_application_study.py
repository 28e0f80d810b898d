"""What is said of an experiment on applications."""

from __future__ import annotations

import pytest

from pipeline.experiments.applications.results.application_study import studies
from tests.pipeline.experiments.applications.application_cases import small

pytestmark = pytest.mark.unit


def test_words_say_how_instances_stop() -> None:
    (study,) = studies(small())
    assert "stop" not in study.words
    restarts = {**study.setting, "replace": True, "in_turn": True}
    assert (
        "changes restart a function, instances stop one after another;"
        in study._replace(setting=restarts).words
    )
    # A run from before there was the setting.
    older = {key: value for key, value in study.setting.items() if key != "in_turn"}
    assert study._replace(setting=older).words == study.words
