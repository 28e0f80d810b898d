"""Figures 4 to 8 of the paper: the first replicate over time, simulated and measured."""

from __future__ import annotations

from pipeline.experiments.pulsar.results.pulsar_study import Study
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import application_courses
from pipeline.reporting.sections.application_courses import Course
from pipeline.reporting.sections.course_lines import MEASURED, SIMULATED

_COLUMNS = {
    SIMULATED: {
        "simulated_rate": "rate",
        "simulated_instances": "instances",
        "simulated_mean_s": "mean",
    },
    MEASURED: {"rate": "rate", "instances": "instances", "mean_s": "mean"},
}
"""Columns of `pulsar_steps`, and what figures call them."""


def source_rates(study: Study, number: int) -> Figure | None:
    """Rate of the source."""
    caption = (
        f"Experiment {study.name}. Rate of the source in steps between decisions, as planned "
        "(simulated) and as events were due (measured): Figure 4 of Russo Russo et al."
    )
    return application_courses.rates(f"pulsar-rates-{number}", number, caption, courses(study))


def policies_over_time(study: Study, number: int) -> Figure | None:
    """Instances and mean responses under each policy with each executor."""
    bound = float(study.setting["r_max"])
    caption = (
        f"Experiment {study.name}, first replicate, the same events simulated and on Pulsar. "
        "Above: instances of all functions. Below: mean response of the events that came out "
        "between two decisions, on a logarithmic axis; the dotted line is the bound, "
        f"{bound:g} s. Figures 5 to 8 of Russo Russo et al."
    )
    name = f"pulsar-policies-over-time-{number}"
    return application_courses.over_time(name, number, caption, courses(study), bound)


def courses(study: Study) -> list[Course]:
    """Each policy and executor in the order of the runs: simulated, then measured."""
    first = study.steps[study.steps["replicate"] == 1].sort_values("step", kind="stable")
    return [
        Course(
            f"{policy}, {executor}",
            source,
            rows[[*names, "begins_s", "seconds"]].rename(columns=names),
        )
        for (policy, executor), rows in first.groupby(["policy", "executor"], sort=False)
        for source, names in _COLUMNS.items()
    ]
