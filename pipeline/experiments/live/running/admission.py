"""What is refused before a live run begins: loads and groups that this machine cannot serve."""

from __future__ import annotations

import numpy as np

from algorithms.assignment import registry
from algorithms.core.arrays import Floats
from live.kafka import broker_jars
from live.protocol.loss_settings import MOST_CONSUMERS
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.experiments.live.running import live_streams, run_brokers
from pipeline.settings.live_experiment import MOST_RATE, LiveExperiment
from pipeline.settings.live_strategies import is_algorithm
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import live_needs
from pipeline.warehouse.runs.live_needs import Needs

CONSUMER_GIB, NODE_GIB, BASE_GIB = 0.06, 0.5, 3.0
"""Memory of a consumer, of a broker, and of everything else, Spark included."""

EVIDENCE_BYTES = 40
"""Evidence of a record."""

LOG_FACTOR = 1.05
"""Bytes in a broker's log per byte of a record; measured: 1.03 for records of 2 kB."""

START_SECONDS = 10.0
"""Time that a run needs to start and to end, s."""


def check(config: RunConfig, paths: Paths, run_id: str) -> None:
    """Check what depends on the streams themselves and on this machine.

    Raises InputError: Names the field, its limit and a remedy; nothing has been written then.
    """
    own_nodes = [experiment.nodes for experiment in config.live if not experiment.bootstrap]
    java = live_needs.idle("Kafka", 2 * max(own_nodes, default=0))
    for experiment in config.live:
        for stream, rates in live_streams.with_rates(experiment, config):
            _check_rates(rates, experiment, stream.stream_id)
            _check_consumers(rates, experiment, stream.stream_id, stream.seed)
    live_needs.check(
        needs(config),
        paths.warehouse,
        "choose fewer iterations or replicates, lower capacity, or another folder with --warehouse",
        "end other programs, or choose fewer partitions or nodes",
    )
    for experiment in config.live:
        if experiment.bootstrap:
            run_brokers.opened(experiment, run_id)
    if java is not None:
        # The first time, this takes as long as Spark's start.
        broker_jars.ensure_ahead(java)


def check_time(config: RunConfig, limit_s: float) -> None:
    """Check that each experiment ends before its task is stopped.

    limit_s: Time limit of a task that measures one experiment, s.
    Raises InputError: Names the experiment, its time and the limit.
    """
    live_needs.check_time(
        [(each.name, _seconds(each)) for each in config.live],
        limit_s,
        "`iterations` × iteration_seconds × runs",
        "choose fewer iterations, strategies or replicates, raise GROUPSCALE_TIME_LIMIT_FACTOR, or "
        "use `groupscale live run`",
    )


def needs(config: RunConfig) -> Needs:
    """Estimate what a run needs."""
    disk = memory = seconds = 0.0
    for experiment in config.live:
        span = experiment.iterations * experiment.iteration_seconds
        streams = [
            rates.sum(axis=1).mean() * span
            for _, rates in live_streams.with_rates(experiment, config)
        ]
        # Topics of a run are deleted when it ends; evidence of all stays.
        own_nodes = 0 if experiment.bootstrap else experiment.nodes
        logs = max(streams) * LOG_FACTOR * own_nodes
        records = sum(streams) * len(experiment.strategies) / experiment.record_bytes
        disk += records * EVIDENCE_BYTES + logs
        memory = max(memory, memory_of(experiment.partitions, own_nodes))
        seconds += _seconds(experiment)
    return Needs(seconds, disk / 2**30, memory)


def memory_of(partitions: int, own_nodes: int) -> float:
    """Memory of a run with so many partitions and own brokers, GiB."""
    consumers = min(partitions, MOST_CONSUMERS)
    return BASE_GIB + consumers * CONSUMER_GIB + own_nodes * NODE_GIB


def _seconds(experiment: LiveExperiment) -> float:
    return experiment.seconds + experiment.runs * START_SECONDS


def _check_rates(rates: Floats, experiment: LiveExperiment, stream_id: str) -> None:
    fastest, total = float(rates.max()), float(rates.sum(axis=1).max())
    if fastest > experiment.consumer_rate:
        remedy = "add clip=true or raise it"
        if experiment.trace is not None:
            remedy = "raise it to what one of your consumers processes"
        elif experiment.profile:
            remedy = "lower high, or raise it"
        raise InputError(
            f"`consumer_rate` must be at least the rate of every partition (got "
            f"{experiment.consumer_rate:g} bytes/s, and a partition of {fastest:g} in "
            f"{stream_id}); {remedy}"
        )
    if total > MOST_RATE:
        raise InputError(
            f"`partitions` × capacity: all partitions together may have at most {MOST_RATE:,.0f} "
            f"bytes/s (got {total:,.0f} in {stream_id}); choose fewer partitions or lower capacity"
        )


def _check_consumers(rates: Floats, experiment: LiveExperiment, stream_id: str, seed: int) -> None:
    for strategy in experiment.strategies:
        if not is_algorithm(strategy):
            continue  # Groups of other kinds have bounds of their own.
        owners = registry.get(strategy).assign(rates, experiment.capacity, seed)
        most = max(len(np.unique(row)) for row in owners) + experiment.spare
        if most > MOST_CONSUMERS:
            raise InputError(
                f"`strategies`: {strategy} needs {most} consumers in {stream_id}, more than the "
                f"{MOST_CONSUMERS} that one machine can run; choose fewer partitions or raise "
                "capacity"
            )
