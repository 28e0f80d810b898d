"""Runs faults, each on a cluster of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from algorithms.core.arrays import Floats
from algorithms.workloads import random_walk
from live.kafka.broker_cluster import Cluster
from live.kafka.small_disks import NoSmallDisk, small_disk
from live.live_settings import LiveSettings
from live.runs.live_run import measure_strategy
from pipeline.base.errors import InputError, StageError
from pipeline.base.text.quoting import named
from pipeline.experiments.live.faults.live_faults import (
    FAULTS,
    Fault,
    Seen,
    seen,
    seen_in_failure,
)
from pipeline.experiments.live.running import admission
from pipeline.warehouse.runs import live_needs
from pipeline.warehouse.runs.live_needs import Needs

PARTITIONS, ITERATIONS, ITERATION_S = 12, 6, 5.0
CAPACITY, CONSUMER_RATE, SEED = 200_000.0, 240_000.0, 7
STRATEGY = "MWF"


class FaultResult(NamedTuple):
    """What a fault did."""

    fault: Fault
    """The fault."""
    wrong: list[str]
    """What was not as expected, one line each; empty if all was."""
    answered_s: float | None
    """Time until the partitions of a lost consumer were started elsewhere, s; None if no consumer
    was lost, or they were not."""
    skipped: str
    """Why the fault cannot be injected here; empty if it was."""


def chosen(names: Sequence[str]) -> list[str]:
    """Names of faults, all of them where none is given. Raises InputError if one is unknown."""
    for name in names:
        if name not in FAULTS:
            raise InputError(f"unknown fault {named(name)}; choose one of {', '.join(FAULTS)}")
    return list(dict.fromkeys(names)) or list(FAULTS)


def run(names: Sequence[str], folder: Path) -> Iterator[FaultResult]:
    """Run faults one after the other; the folder of one that went wrong stays.

    names: Keys of `FAULTS`.
    folder: New folder for brokers and evidence.
    Raises InputError if disk space or memory do not suffice; no broker has started then.
    """
    live_needs.check(
        needs(names),
        folder.parent,
        "choose fewer faults, or another folder with GROUPSCALE_STATE",
        "end other programs",
    )
    for name in names:
        place = folder / name
        outcome = FaultResult(FAULTS[name], *_seen(FAULTS[name], place))
        if not outcome.wrong:
            shutil.rmtree(place, ignore_errors=True)
        yield outcome


def needs(names: Sequence[str]) -> Needs:
    """Estimate what faults need if the folders of all of them stay."""
    disk = memory = seconds = 0.0
    for fault in (FAULTS[name] for name in names):
        settings = _settings(fault, Path())
        span = settings.iterations * settings.iteration_s
        size = float(_rates(fault, settings).sum(axis=1).mean()) * span
        evidence = size / settings.record_bytes * admission.EVIDENCE_BYTES
        disk += size * admission.LOG_FACTOR * fault.nodes + evidence
        memory = max(memory, admission.memory_of(PARTITIONS, fault.nodes))
        seconds += span + admission.START_SECONDS
    return Needs(seconds, disk / 2**30, memory)


def _settings(fault: Fault, place: Path) -> LiveSettings:
    settings = LiveSettings(
        run=fault.name,
        bootstrap="",
        folder=str(place / "run"),
        partitions=PARTITIONS,
        capacity=CAPACITY,
        consumer_rate=CONSUMER_RATE,
        iteration_s=ITERATION_S,
        iterations=ITERATIONS,
        nodes=fault.nodes,
        seed=SEED,
    )
    return replace(settings, **fault.changes)


def _rates(fault: Fault, settings: LiveSettings) -> Floats:
    shape = (PARTITIONS, settings.iterations)
    return random_walk.generate(*shape, fault.delta, CAPACITY, None, SEED)


def _seen(fault: Fault, place: Path) -> Seen:
    settings = _settings(fault, place)
    rates = _rates(fault, settings)
    brokers = place / "brokers"
    try:
        with (
            small_disk(brokers, fault.disk_mib),
            Cluster(brokers, fault.nodes, has_login=True) as cluster,
        ):
            ended = measure_strategy(settings, rates.tolist(), STRATEGY, cluster, fault.script)
    except NoSmallDisk as error:
        return Seen([], skipped=str(error))
    except StageError as error:
        return seen_in_failure(fault, Path(settings.folder), brokers, str(error))
    if fault.fails:
        return Seen(["the run did not fail"])
    return seen(fault, ended)
