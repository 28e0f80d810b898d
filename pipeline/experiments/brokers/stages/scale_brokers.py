"""Stage `scale_brokers`: brokers join a cluster and leave it, and what their records say."""

from __future__ import annotations

import os
import shutil
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algorithms.core.seeds import derive_seed
from live.brokers import elastic_run
from live.brokers.deciding import deciding_run
from live.brokers.deciding.deciding_run import Deciding
from live.brokers.deciding.kafka_environment import KafkaEnvironment
from live.brokers.elastic_choices import ElasticChoices
from live.kafka import broker_jars, node_group, small_disks
from pipeline.base.process import machine
from pipeline.experiments.brokers.evidence import (
    broker_evidence,
    episode_rows,
    loss_rows,
    pause_rows,
    scaling_rows,
)
from pipeline.experiments.brokers.family import TABLES
from pipeline.experiments.brokers.running import measured_rows
from pipeline.experiments.brokers.running.broker_folders import BrokerFolders
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.warehouse.runs import one_live_run_lock

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work

Row = dict[str, Any]

_SETTINGS = ("planner", "replication", "partitions", "records_per_s", "scalings")

_OF_CLUSTER = (*(field.name for field in fields(ElasticChoices)), "decision_s")
"""What decisions on a cluster depend on, apart from what decides."""


def run(work: Work, folders: BrokerFolders) -> dict[str, list[Row]]:
    """Rows of all tables; one cluster at a time."""
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    with one_live_run_lock.alone():
        for experiment in work.config.brokers:
            if experiment.name in work.experiments:
                folder = folders.of_experiment(experiment.name)
                own = decided if experiment.decided_by else scaled
                for table, found in own(experiment, work.config.seed, folder).items():
                    rows[table] += [{"experiment": experiment.name} | row for row in found]
    return rows


def decided(experiment: BrokerExperiment, root: int, folder: Path) -> dict[str, list[Row]]:
    """Brokers join and leave by decisions, from the last whole episode on if there is one."""

    def cluster(place: Path, number: int) -> KafkaEnvironment:
        return KafkaEnvironment(experiment, experiment.decision_s, number, place)

    deciding = Deciding(
        experiment.simulated(),
        experiment.live_episodes,
        experiment.learns,
        measured_rows.of(experiment),
        experiment.input_margin,
        derive_seed(root, experiment.name, "brokers"),
        node_group.version(broker_jars.ensure(broker_jars.java_program())),
        {name: getattr(experiment, name) for name in _OF_CLUSTER},
    )
    parts = deciding_run.parts(deciding, experiment.decided_by, experiment.rewards)
    deciding_run.run(deciding, parts, folder, cluster)
    return {"broker_episodes": list(episode_rows.rows(parts, folder))}


def scaled(experiment: BrokerExperiment, root: int, folder: Path) -> dict[str, list[Row]]:
    """Brokers join and leave at fixed times."""
    small_disks.unmount_below(folder)
    shutil.rmtree(folder, ignore_errors=True)
    # Plans are compared on the same brokers that join and leave.
    seed = derive_seed(root, "brokers")
    version = elastic_run.run(experiment, experiment.faults, seed, folder)
    return measured(experiment, version, folder)


def measured(experiment: BrokerExperiment, version: str, folder: Path) -> dict[str, list[Row]]:
    """Rows of an experiment, from its evidence."""
    evidence = broker_evidence.read(folder)
    described = {
        **{name: getattr(experiment, name) for name in _SETTINGS},
        "kafka_version": version,
        "cores": machine.all_cores(),
        "load": os.getloadavg()[0],
    }
    return {
        "broker_runs": [described | row for row in loss_rows.rows(evidence)],
        "broker_scalings": list(scaling_rows.rows(evidence, experiment.least_brokers)),
        "broker_pauses": list(pause_rows.rows(evidence)),
    }
