"""Results of a run of each family, for tests that walk families."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipeline.runs.run_results import Results
from tests.pipeline.assignment import report_cases
from tests.pipeline.autoscaling import scaling_cases
from tests.pipeline.learning import learning_cases
from tests.pipeline.measured import live_cases

SMALL: Mapping[str, Callable[[], Results]] = {
    "assignment": report_cases.small,
    "autoscaling": scaling_cases.small,
    "live": live_cases.small,
    "learning": learning_cases.small,
}
"""A function that returns small results, by family."""
