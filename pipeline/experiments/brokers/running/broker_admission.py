"""What is refused before brokers are started."""

from __future__ import annotations

import shutil

from live.brokers import elastic_run, tool_jars
from live.brokers.elastic_run import MIB
from live.kafka import broker_jars, reserved_ports
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.base.process import machine
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import one_live_run_lock

BROKER_GIB, OTHERS_GIB = 0.4, 1.5
"""Memory of a broker, and of load, controller and Spark, GiB."""

SCALING_S = 60.0
"""Time of a scaling on a busy machine, without its moves, s."""

RECORD_BYTES = 250
"""Disk space of a record in a log, and of its evidence, at most."""


def check(config: RunConfig, paths: Paths, run_id: str) -> None:
    """Check what depends on this machine.

    Raises InputError: Names the limit and a remedy; nothing has been written then.
    """
    tool_jars.ensure(broker_jars.java_program())
    most = max(one.most_brokers for one in config.brokers)
    with reserved_ports.reserved(2 * (most + 1)):
        pass
    one_live_run_lock.check()
    needed, memory = BROKER_GIB * (most + 1) + OTHERS_GIB, machine.available_gib()
    if memory < needed:
        raise InputError(
            f"`most_brokers`: {most} brokers and their controller need about {needed:.1f} GiB of "
            f"memory, but {memory:.1f} GiB are available on this machine; end other programs, or "
            "choose fewer brokers"
        )
    place = next(each for each in (paths.warehouse, *paths.warehouse.parents) if each.exists())
    free = shutil.disk_usage(place).free / 2**30
    disk = max(disk_gib(one) for one in config.brokers)
    if free < disk:
        raise InputError(
            f"`preload_mib`, `records_per_s`: the records need about {disk:.1f} GiB of disk space "
            f"in {place}, which has {free:.1f} GiB; choose fewer, or another folder with "
            "--warehouse"
        )


def check_time(config: RunConfig, limit_s: float) -> None:
    """Check that each experiment ends before its task is stopped.

    limit_s: Time limit of a task that measures one experiment, s.
    Raises InputError: Names the experiment, its time and the limit.
    """
    for experiment in config.brokers:
        needed = needed_s(experiment)
        if needed > limit_s:
            raise InputError(
                f"`scalings`: a task of Airflow may take {limit_s / 60:,.0f} min (got up to "
                f"{needed / 60:,.0f} min in experiment '{experiment.name}'); choose fewer, or "
                "raise GROUPSCALE_TIME_LIMIT_FACTOR"
            )


def needed_s(experiment: BrokerExperiment) -> float:
    """Time that an experiment takes on a busy machine, s."""
    # A broker that joins gets its share of all replicas, and one that leaves gives away as much.
    copied = experiment.preload_mib * experiment.replication / experiment.least_brokers
    each = SCALING_S + experiment.still_s + copied / experiment.throttle_mib_s
    return elastic_run.START_S + elastic_run.END_S + experiment.scalings * each


def disk_gib(experiment: BrokerExperiment) -> float:
    """Disk space of the logs, with the copies of a move, and of evidence, GiB."""
    records = experiment.records_per_s * needed_s(experiment) * RECORD_BYTES
    stored = experiment.preload_mib * MIB + records
    return 2.0 * stored * experiment.replication / 2**30 + 0.5
