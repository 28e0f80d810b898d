"""Stage `cross_backlogs`: when seamless scaling responds later than a restart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

from algorithms.simulation.prefetch_crossing import cross
from pipeline.experiments.applications import kernels

if TYPE_CHECKING:
    from pipeline.settings.application_experiment import ApplicationExperiment
    from pipeline.warehouse.runs.stage import Work


def run(work: Work) -> Iterator[dict[str, Any]]:
    """Rows of `prefetch_crossings`, of the experiments with backlogs."""
    for experiment in work.config.applications:
        yield from rows(experiment, work.config.seed)


def rows(experiment: ApplicationExperiment, root: int) -> Iterator[dict[str, Any]]:
    """Rows of an experiment: its slowest function, alone."""
    functions = experiment.described.checked.functions.values()
    slowest = min(functions, key=lambda function: function.mu)
    plan = kernels.plans([experiment], root)[experiment.name]
    replicates = range(1, experiment.replicates + 1)
    crossed = product(experiment.receiver_queues, experiment.backlogs or (), replicates)
    for receiver_queue, backlog, replicate in crossed:
        seed = plan.seed(replicate)
        responses = cross(
            slowest, backlog, receiver_queue, experiment.grown_to, experiment.startup_s, seed
        )
        yield {
            "experiment": experiment.name,
            "receiver_queue": receiver_queue,
            "backlog": backlog,
            "replicate": replicate,
            "seed": seed,
            "grown_to": experiment.grown_to,
            **{f"{way}_s": value for way, value in responses._asdict().items()},
        }
