"""Figures of an experiment over time: its first replicate under each policy."""

from __future__ import annotations

from pipeline.experiments.applications.results.application_study import Study
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import application_courses
from pipeline.reporting.sections.application_courses import Course
from pipeline.reporting.sections.course_lines import SIMULATED


def source_rates(study: Study, number: int) -> Figure | None:
    """Rate of the sources."""
    caption = (
        f"Experiment {study.name}. Rate of all sources, as Figure 4 of Russo Russo et al. draws it "
        "of theirs."
    )
    return application_courses.rates(f"source-rates-{number}", number, caption, courses(study))


def policies_over_time(study: Study, number: int) -> Figure | None:
    """Instances and mean response times under each policy."""
    caption = (
        f"Experiment {study.name}, first replicate. Above: instances of all functions. Below: mean "
        f"response time along {study.path} of the events completed between two decisions, on a "
        f"logarithmic axis; the dotted line is the bound, {study.setting['r_max']:g} s. Figures 5 "
        "to 8 of Russo Russo et al. draw the same of their policies on a cluster."
    )
    return application_courses.over_time(
        f"policies-over-time-{number}",
        number,
        caption,
        courses(study),
        float(study.setting["r_max"]),
    )


def courses(study: Study) -> list[Course]:
    """The policies of an experiment, in its order."""
    by_policy = dict(iter(study.steps.groupby("policy")))
    return [
        Course(policy, SIMULATED, by_policy[policy])
        for policy in study.setting["policies"]
        if policy in by_policy
    ]
