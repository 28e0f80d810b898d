"""Published workloads that live experiments play."""

from __future__ import annotations

from pipeline.inputs.traces.published_workloads import PublishedWorkload, recognised
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.run_config import RunConfig


def played(experiment: LiveExperiment, config: RunConfig) -> PublishedWorkload | None:
    """The published workload that an experiment plays, None if there is none.

    It is played from its beginning to its end, a rate per second, and unscaled.
    """
    digests = {source.stream_id: source.digest for source in config.traces}
    workload = recognised(digests.get(str(experiment.trace), ""))
    if workload is None:
        return None
    as_published = (workload.steps, 1.0, 1.0)
    as_played = (experiment.iterations, experiment.iteration_seconds, experiment.scale)
    return workload if as_played == as_published else None
