"""What is refused before an application is run on Pulsar."""

from __future__ import annotations

from live.pulsar import pulsar_jars, scaled_application
from live.pulsar.standalone import START_SECONDS
from pipeline.base.paths import Paths
from pipeline.settings.pulsar_experiment import PulsarExperiment
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import live_needs
from pipeline.warehouse.runs.live_needs import Needs

PORTS = 3
"""Ports reserved for Pulsar. It listens on two; the bookie only has the third in its name."""

MEMORY_GIB = 2.5
"""Memory of Pulsar, load, loop, and the command with Spark, GiB: 2.0 at the peak of `pulsar-smoke`
(docs/pulsar.md), where Pulsar's heap had 0.2 of the 0.4 that it may take."""

DISK_GIB = 1.0
"""Disk space for the JARs, Pulsar's data and evidence, GiB."""


def check(config: RunConfig, paths: Paths, run_id: str) -> None:
    """Check what depends on this machine.

    Raises InputError: Names the limit and a remedy; nothing has been written then.
    """
    live_needs.idle("Pulsar", PORTS)
    pulsar_jars.check()
    live_needs.check(
        needs(config),
        paths.warehouse,
        "choose another folder with --warehouse",
        "end other programs",
    )


def check_time(config: RunConfig, limit_s: float) -> None:
    """Check that each experiment ends before its task is stopped.

    limit_s: Time limit of a task that measures one experiment, s.
    Raises InputError: Names the experiment, its time and the limit.
    """
    for each in config.pulsar:
        fields, many = (
            ("`slot_s` × resizings", "resizings")
            if each.resizings
            else ("`piece_s` × load_levels", "policies")
        )
        live_needs.check_time(
            [(each.name, needed_s(each))],
            limit_s,
            f"{fields} × runs",
            f"choose fewer {many}, executors or replicates, or raise GROUPSCALE_TIME_LIMIT_FACTOR",
        )


def needs(config: RunConfig) -> Needs:
    """Estimate what a run needs."""
    return Needs(sum(map(needed_s, config.pulsar)), DISK_GIB, MEMORY_GIB)


def needed_s(experiment: PulsarExperiment) -> float:
    """Longest time that an experiment takes, s."""
    each = scaled_application.longest_s(experiment.seconds)
    # One Pulsar per executor.
    return len(experiment.executors) * START_SECONDS + experiment.amount * each
