"""Stage `scale_brokers`: brokers join a cluster and leave it, and what their records say."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from algorithms.core.seeds import derive_seed
from live.brokers import elastic_run
from live.kafka import small_disks
from pipeline.base.process import machine
from pipeline.experiments.brokers.evidence import (
    broker_evidence,
    loss_rows,
    pause_rows,
    scaling_rows,
)
from pipeline.experiments.brokers.running.broker_folders import BrokerFolders
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.warehouse.runs import one_live_run_lock

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work

Row = dict[str, Any]

_SETTINGS = ("planner", "replication", "partitions", "records_per_s", "scalings")


def run(work: Work, folders: BrokerFolders) -> dict[str, list[Row]]:
    """Rows of all tables; one cluster at a time."""
    rows: dict[str, list[Row]] = {"broker_runs": [], "broker_scalings": [], "broker_pauses": []}
    # Plans are compared on the same brokers that join and leave.
    seed = derive_seed(work.config.seed, "brokers")
    with one_live_run_lock.alone():
        for experiment in work.config.brokers:
            if experiment.name in work.experiments:
                folder = folders.of_experiment(experiment.name)
                small_disks.unmount_below(folder)
                shutil.rmtree(folder, ignore_errors=True)
                version = elastic_run.run(experiment, experiment.faults, seed, folder)
                for table, own in measured(experiment, version, folder).items():
                    rows[table] += own
    return rows


def measured(experiment: BrokerExperiment, version: str, folder: Path) -> dict[str, list[Row]]:
    """Rows of an experiment, from its evidence."""
    evidence = broker_evidence.read(folder)
    described = {
        **{name: getattr(experiment, name) for name in _SETTINGS},
        "kafka_version": version,
        "cores": machine.all_cores(),
        "load": os.getloadavg()[0],
    }
    found = {
        "broker_runs": [described | row for row in loss_rows.rows(evidence)],
        "broker_scalings": list(scaling_rows.rows(evidence, experiment.least_brokers)),
        "broker_pauses": list(pause_rows.rows(evidence)),
    }
    placed = {"experiment": experiment.name}
    return {table: [placed | row for row in rows] for table, rows in found.items()}
