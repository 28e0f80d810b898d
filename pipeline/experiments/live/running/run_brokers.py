"""The brokers that a live experiment runs on: its own, or those of a user's cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from live.kafka.broker_cluster import Cluster
from live.live_settings import LiveSettings
from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES
from live.runs.strategy_run import Brokers
from live.user_cluster import topic_trial, user_cluster
from live.user_cluster.user_cluster import UserCluster
from pipeline.settings.live_experiment import LiveExperiment


def name(run_id: str, number: int) -> str:
    """Name of a run on the brokers, whose topics are ``gs.<name>.…``; numbers are from 1."""
    return f"{run_id}.{number}"


def prefix(run_id: str) -> str:
    """Beginning of the names of all topics, groups and transactional ids of a run."""
    return f"gs.{run_id}."


@contextmanager
def at_work(experiment: LiveExperiment, run_id: str, folder: Path) -> Iterator[Brokers]:
    """Brokers for the runs of an experiment.

    folder: Where brokers of its own have their data, which is deleted at the end.
    Raises InputError as `opened`.
    """
    if experiment.bootstrap:
        yield opened(experiment, run_id)
        return
    with Cluster(folder, experiment.nodes, has_login=True) as cluster:
        yield cluster
    cluster.discard_data()


def opened(experiment: LiveExperiment, run_id: str) -> UserCluster:
    """Check the user's cluster, only reading. Raises InputError if it cannot be used."""
    file = experiment.client_file
    properties = client_properties.read(Path(file)) if file else NO_PROPERTIES
    runs = [name(run_id, number) for number in range(1, experiment.runs + 1)]
    cluster = user_cluster.opened(experiment.bootstrap, properties, experiment.nodes, runs)
    topic_trial.check(_first_run(experiment, cluster.bootstrap, runs[0]), properties)
    return cluster


def _first_run(experiment: LiveExperiment, bootstrap: str, run: str) -> LiveSettings:
    """What the topics of a run depend on."""
    return LiveSettings(
        run=run,
        bootstrap=bootstrap,
        folder="",
        partitions=experiment.partitions,
        capacity=experiment.capacity,
        consumer_rate=experiment.consumer_rate,
        iteration_s=experiment.iteration_seconds,
        iterations=experiment.iterations,
        nodes=experiment.nodes,
    )
