"""What is refused before an application is run on Pulsar."""

from __future__ import annotations

import shutil

from live.kafka import broker_jars, java_classes, reserved_ports
from live.pulsar import pulsar_jars
from live.pulsar.real_application import READY_SECONDS
from live.pulsar.scaled_application import DRAIN_S, START_S
from live.pulsar.standalone import START_SECONDS
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.base.process import machine
from pipeline.settings.pulsar_experiment import PulsarExperiment
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import one_live_run_lock

MEMORY_GIB = 3.0
"""Memory of Pulsar, of the load and of Spark, GiB."""

DISK_GIB = 1.0
"""Disk space for the JARs, Pulsar's data and evidence, GiB."""


def check(config: RunConfig, paths: Paths, run_id: str) -> None:
    """Check what depends on this machine.

    Raises InputError: Names the limit and a remedy; nothing has been written then.
    """
    java_classes.compiler_of(broker_jars.java_program("Pulsar"), pulsar_jars.PURPOSE)
    with reserved_ports.reserved(3, "Pulsar"):
        pass
    one_live_run_lock.check()
    memory = machine.available_gib()
    if memory < MEMORY_GIB:
        raise InputError(
            f"Pulsar needs about {MEMORY_GIB:.1f} GiB of memory, but {memory:.1f} GiB are "
            "available on this machine; end other programs"
        )
    place = next(each for each in (paths.warehouse, *paths.warehouse.parents) if each.exists())
    free = shutil.disk_usage(place).free / 2**30
    if free < DISK_GIB:
        raise InputError(
            f"Pulsar needs about {DISK_GIB:.1f} GiB of disk space in {place}, which has "
            f"{free:.1f} GiB; choose another folder with --warehouse"
        )


def check_time(config: RunConfig, limit_s: float) -> None:
    """Check that each experiment ends before its task is stopped.

    limit_s: Time limit of a task that measures one experiment, s.
    Raises InputError: Names the experiment, its time and the limit.
    """
    for experiment in config.pulsar:
        needed = needed_s(experiment)
        if needed > limit_s:
            raise InputError(
                f"`piece_s` × load_levels × runs: a task of Airflow may take {limit_s / 60:,.0f} "
                f"min (got up to {needed / 60:,.0f} min in experiment '{experiment.name}'); choose "
                "fewer policies, executors or replicates, or raise GROUPSCALE_TIME_LIMIT_FACTOR"
            )


def needed_s(experiment: PulsarExperiment) -> float:
    """Longest time that an experiment takes, s."""
    each = experiment.seconds + START_S + DRAIN_S + READY_SECONDS
    return len(experiment.executors) * START_SECONDS + experiment.amount * each
