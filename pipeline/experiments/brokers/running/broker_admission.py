"""What is refused before brokers are started."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from algorithms.learning.learning_names import AGENTS
from live.broker_metrics import cpu_caps
from live.brokers import elastic_run, tool_jars
from live.brokers.elastic_choices import FAULTS, OF_DISKS
from live.brokers.elastic_run import MIB
from live.kafka import small_disks
from live.kafka.small_disks import NoSmallDisk
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.brokers.running import measured_rows
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import live_needs, training_packages
from pipeline.warehouse.runs.live_needs import Needs

NODE_GIB, OTHERS_GIB = 0.4, 1.5
"""Memory of a broker or KRaft controller, and of load, our controller and Spark, GiB."""

SCALING_S = 60.0
"""Time of a scaling on a busy machine, without its moves, s."""

CLUSTER_S = 60.0
"""Time until a cluster runs with its load, and has ended, s."""

RECORD_BYTES = 250
"""Disk space of a record in a log, and of its evidence, at most."""


def check(config: RunConfig, paths: Paths, run_id: str) -> None:
    """Check what depends on this machine.

    Raises InputError: Names the limit and a remedy; nothing has been written then.
    """
    if any(map(_fills_disks, config.brokers)):
        _check_disks()
    for one in config.brokers:
        if one.decided_by:
            cpu_caps.check(one.most_brokers, cpu_caps.BROKER_CORES)
            measured_rows.of(one)
        if not {*AGENTS}.isdisjoint(one.decided_by):
            training_packages.check_packages(config, paths, run_id)
    java = live_needs.idle("Kafka", 2 * _nodes(config))
    if java is not None:
        tool_jars.ensure(java)
    live_needs.check(
        needs(config),
        paths.warehouse,
        "choose a lower `preload_mib` or `records_per_s`, or another folder with --warehouse",
        "end other programs, or choose fewer `most_brokers`",
    )


def check_time(config: RunConfig, limit_s: float) -> None:
    """Check that each experiment ends before its task is stopped.

    limit_s: Time limit of a task that measures one experiment, s.
    Raises InputError: Names the experiment, its time and the limit.
    """
    live_needs.check_time(
        [(each.name, needed_s(each)) for each in config.brokers],
        limit_s,
        "`scalings` or `live_episodes`",
        "choose fewer, or raise GROUPSCALE_TIME_LIMIT_FACTOR",
    )


def needs(config: RunConfig) -> Needs:
    """Estimate what a run needs."""
    return Needs(
        sum(map(needed_s, config.brokers)),
        max(map(disk_gib, config.brokers)),
        NODE_GIB * _nodes(config) + OTHERS_GIB + max(map(small_disk_gib, config.brokers)),
    )


def _fills_disks(experiment: BrokerExperiment) -> bool:
    return not experiment.decided_by and not set(OF_DISKS).isdisjoint(experiment.faults)


def _check_disks() -> None:
    """Raise InputError if a file system of a broker's own cannot be mounted."""
    try:
        with TemporaryDirectory() as place, small_disks.small_disk(Path(place) / "disk", 1):
            pass
    except NoSmallDisk as error:
        raise InputError(
            f"`faults`: {' and '.join(OF_DISKS)} need a file system of a broker's own ({error}); "
            f"run as root, or choose {', '.join(one for one in FAULTS if one not in OF_DISKS)}"
        ) from None


def _nodes(config: RunConfig) -> int:
    """Most nodes of a cluster."""
    return max(one.most_brokers + one.kraft_controllers for one in config.brokers)


def needed_s(experiment: BrokerExperiment) -> float:
    """Time that an experiment takes on a busy machine, s."""
    if experiment.decided_by:
        parts = len(experiment.decided_by) * len(experiment.rewards)
        intervals = (experiment.live_steps + 1) * experiment.decision_s
        return parts * experiment.live_episodes * (CLUSTER_S + intervals)
    # A broker that joins gets its share of all replicas, and one that leaves gives away as much.
    copied = experiment.preload_mib * experiment.replication / experiment.least_brokers
    each = SCALING_S + experiment.still_s + copied / experiment.throttle_mib_s
    return elastic_run.START_S + elastic_run.END_S + experiment.scalings * each


def small_disk_gib(experiment: BrokerExperiment) -> float:
    """Memory that the file system of a broker takes whose disk is to be full, GiB."""
    return elastic_run.disk_mib(experiment) / 1024 if _fills_disks(experiment) else 0.0


def disk_gib(experiment: BrokerExperiment) -> float:
    """Disk space of the logs, with the copies of a move, and of evidence, GiB."""
    if experiment.decided_by:
        # Each episode has a cluster of its own, and evidence of decisions alone.
        seconds, preloaded = (experiment.live_steps + 2) * experiment.decision_s, 0.0
    else:
        seconds, preloaded = needed_s(experiment), experiment.preload_mib * MIB
    stored = preloaded + experiment.records_per_s * seconds * RECORD_BYTES
    return 2.0 * stored * experiment.replication / 2**30
