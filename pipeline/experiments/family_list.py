"""Families of experiments and all stages: the lists that all other modules use.

Command line, Airflow DAGs, checks and resumption iterate `STAGES`. The lists are cheap to import: a
stage's module is loaded when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.applications.family import FAMILY as APPLICATIONS
from pipeline.experiments.assignment.family import FAMILY as ASSIGNMENT
from pipeline.experiments.autoscaling.family import FAMILY as AUTOSCALING
from pipeline.experiments.brokers.family import FAMILY as BROKERS
from pipeline.experiments.learning.family import FAMILY as LEARNING
from pipeline.experiments.live.family import FAMILY as LIVE
from pipeline.experiments.pulsar.family import FAMILY as PULSAR
from pipeline.warehouse.runs.experiment_family import Family, load
from pipeline.warehouse.runs.stage import Made, Stage

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig

__all__ = [
    "FAMILIES",
    "STAGES",
    "Family",
    "Stage",
    "family",
    "family_of",
    "notes_of",
    "stage",
    "stages_in",
    "stages_of",
]

FAMILIES: tuple[Family, ...] = (
    ASSIGNMENT,
    AUTOSCALING,
    LIVE,
    LEARNING,
    APPLICATIONS,
    PULSAR,
    BROKERS,
)

_SHARED = "pipeline.experiments.shared"

COMPARED = ("scores", "latency", "pareto", "simulations", "trade_offs")
"""Tables whose values are compared with the baseline's."""

_RESULTS = (
    Made("results", f"{_SHARED}.read_results:gather"),
    Made("ctx", f"{_SHARED}.read_results:itself"),
)

SHARED: tuple[Stage, ...] = (
    Stage(
        "compare",
        "differences from the baseline",
        f"{_SHARED}.compare",
        reads=(
            Made(
                "compared",
                f"{_SHARED}.compare:against_baseline",
                ("runs", *COMPARED, "baselines"),
            ),
        ),
        writes=("differences",),
        summary=True,
    ),
    Stage("track", "MLflow runs", f"{_SHARED}.track", reads=_RESULTS),
    Stage("report", "the HTML report", f"{_SHARED}.report", reads=_RESULTS),
)
"""Stages of every family, after its own."""

STAGES: tuple[Stage, ...] = tuple(
    dict.fromkeys((*(item for family in FAMILIES for item in family.stages), *SHARED))
)
"""All stages, in the order in which they run."""


def family(name: str) -> Family:
    """Return the family of that name; KeyError for an unknown one."""
    return {item.name: item for item in FAMILIES}[name]


def stages_in(name: str) -> tuple[Stage, ...]:
    """All stages that runs of a family can have."""
    return (*family(name).stages, *SHARED)


def stage(name: str) -> Stage:
    """Return the stage of that name; KeyError for an unknown one."""
    return {item.name: item for item in STAGES}[name]


def stages_of(config: RunConfig) -> tuple[Stage, ...]:
    """Stages that a run of this configuration has."""
    return tuple(item for item in stages_in(family_of(config).name) if item.when(config))


def family_of(config: RunConfig) -> Family:
    """The family of a run with this configuration: the one that it has experiments of."""
    return next(family(name) for name, experiments in config.by_family.items() if experiments)


def notes_of(config: RunConfig, run_id: str) -> list[str]:
    """What its family says before a run begins, one line each."""
    noted = family_of(config).noted
    return list(load(noted)(config, run_id)) if noted else []
