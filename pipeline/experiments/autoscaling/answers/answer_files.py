"""All files of an answer: what is deployed, its figures, and its page."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.experiments.autoscaling.answers import compared_groups, recommendation_page
from pipeline.experiments.autoscaling.answers.capacity_over_load import Load, capacity_figure
from pipeline.experiments.autoscaling.recommendation import recommended_files
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import Bench
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.experiments.autoscaling.workloads import workload_notes
from pipeline.experiments.autoscaling.workloads.workload import Workload

PAGE = recommendation_page.NAME
NAMES = (PAGE, *recommended_files.NAMES)
"""All files that may be written."""


def texts(
    recommendation: Recommendation, bench: Bench, workload: Workload, commits: str
) -> dict[str, str]:
    """Content of each file by name, as for `recommended_files.texts`; the page is the last."""
    files = recommended_files.texts(
        recommendation, workload.name, recommendation.question.target, commits
    )
    return {**files, PAGE: page(recommendation, bench, workload, files)}


def page(
    recommendation: Recommendation, bench: Bench, workload: Workload, files: Mapping[str, str]
) -> str:
    """The page. files: Those to deploy, by name; none where nothing can be deployed."""
    return recommendation_page.page(
        recommendation,
        workload.name,
        _load(bench, workload),
        compared_groups.simulated(bench, recommendation),
        workload_notes.of(workload),
        {name: text for name, text in files.items() if name != recommended_files.RECORD},
    )


def picture(recommendation: Recommendation, bench: Bench, workload: Workload) -> bytes:
    """Capacity over load as an SVG file of its own."""
    groups = compared_groups.simulated(bench, recommendation)
    return capacity_figure(_load(bench, workload), groups).standalone()


def _load(bench: Bench, workload: Workload) -> Load:
    settings = bench.settings
    return Load(
        bench.rates.sum(axis=1),
        settings["step_s"],
        workload.started_at,
        settings["mu"],
        workload.unit,
    )
