"""The family `applications`: its stages, in the order in which they run."""

from __future__ import annotations

from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.experiment_family import Family
from pipeline.warehouse.runs.stage import Made, Rows, Stage

_PACKAGE = "pipeline.experiments.applications"


def _has_published(config: RunConfig) -> bool:
    return any(one.is_published for one in config.applications)


def _has_backlogs(config: RunConfig) -> bool:
    return any(one.backlogs for one in config.applications)


FAMILY = Family(
    name="applications",
    kernels=f"{_PACKAGE}.kernels",
    results=(
        *map(Rows, ("application_runs", "prefetch_crossings", "published_figures")),
        Made("application_steps", f"{_PACKAGE}.results.first_replicates:application_steps"),
        Made("function_steps", f"{_PACKAGE}.results.first_replicates:function_steps"),
    ),
    report=f"{_PACKAGE}.sections.application_page:build",
    tracked=f"{_PACKAGE}.tracking.policy_runs:tracked",
    sections=f"{_PACKAGE}.sections.application_sections:written",
    gated=False,
    stages=(
        Stage(
            "simulate_applications",
            "instances and response times of every policy, a simulation per seed",
            f"{_PACKAGE}.stages.simulate_applications",
            writes=("application_runs", "application_steps", "function_steps"),
            mapped=True,
        ),
        Stage(
            "cross_backlogs",
            "seamless scaling and restarts of instances that have fetched ahead",
            f"{_PACKAGE}.stages.cross_backlogs",
            writes=("prefetch_crossings",),
            when=_has_backlogs,
        ),
        Stage(
            "judge_applications",
            "a paper's claims on its application, with verdicts",
            f"{_PACKAGE}.stages.judge_applications",
            reads=(Rows("application_runs"),),
            writes=("published_figures",),
            when=_has_published,
        ),
    ),
)
