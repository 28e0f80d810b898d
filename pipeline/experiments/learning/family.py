"""The family `learning`: its stages, in the order in which they run."""

from __future__ import annotations

from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.experiment_family import Family
from pipeline.warehouse.runs.stage import TRACES, Frame, Rows, Stage

_STAGES = "pipeline.experiments.learning.stages"


def _scales_brokers(config: RunConfig) -> bool:
    return any(not one.scales_group for one in config.learning)


def _scales_groups(config: RunConfig) -> bool:
    return any(one.scales_group for one in config.learning)


FAMILY = Family(
    name="learning",
    kernels="pipeline.experiments.learning.kernels",
    results=(
        *map(Rows, ("trainings", "evaluations", "learning_scores", "learning_verdicts")),
        *map(Rows, ("published_figures", "group_scores", "group_fronts")),
    ),
    report="pipeline.experiments.learning.sections.learning_page:build",
    tracked="pipeline.experiments.learning.tracking.agent_runs:tracked",
    sections="pipeline.experiments.learning.sections.learning_sections:written",
    admitted="pipeline.warehouse.runs.training_packages:check_packages",
    attached="pipeline.experiments.learning.policies.attached_policies:attach",
    gated=False,
    stages=(
        Stage(
            "train_agents",
            "agents with all their seeds, a Spark task per agent, reward and variant",
            f"{_STAGES}.train_agents",
            reads=(TRACES,),
            writes=("trainings", "policies"),
            mapped=True,
        ),
        Stage(
            "evaluate_policies",
            "stored policies and rules on held-out episodes",
            f"{_STAGES}.evaluate_policies",
            reads=(Frame("policies"),),
            writes=("evaluations",),
            mapped=True,
            when=_scales_brokers,
        ),
        Stage(
            "score_agents",
            "share of seeds that succeed, and interquartile means, with intervals",
            f"{_STAGES}.score_agents",
            reads=(Rows("evaluations"),),
            writes=("learning_scores",),
            when=_scales_brokers,
        ),
        Stage(
            "judge_claims",
            "verdicts on a paper's claims, and whether variants agree",
            f"{_STAGES}.judge_claims",
            reads=(
                Rows("trainings"),
                Rows("evaluations"),
                Rows("policies", ("experiment", "variant", "settings")),
            ),
            writes=("learning_verdicts", "published_figures"),
            when=_scales_brokers,
        ),
        Stage(
            "evaluate_groups",
            "policies of groups, rules and clairvoyant plans on unseen traces",
            f"{_STAGES}.evaluate_groups",
            reads=(Frame("policies"), TRACES),
            writes=("group_evaluations",),
            mapped=True,
            when=_scales_groups,
        ),
        Stage(
            "score_groups",
            "agents on groups next to rules and their fronts, with intervals over seeds and time",
            f"{_STAGES}.score_groups",
            reads=(Rows("group_evaluations"),),
            writes=("group_scores", "group_fronts"),
            when=_scales_groups,
        ),
    ),
)
