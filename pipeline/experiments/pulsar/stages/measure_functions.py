"""Stage `measure_functions`: every policy with every executor, on a Pulsar and simulated."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from algorithms.core.seeds import derive_seed
from algorithms.simulation import simulate_application
from algorithms.simulation.application_graph import Application
from algorithms.simulation.application_result import ApplicationResult
from live.pulsar import scaled_application
from live.pulsar.function_settings import IMAGE_WIDTHS, RECOGNISE
from live.pulsar.real_application import Work as FunctionWork
from live.pulsar.scaled_application import ScaledRun
from live.pulsar.standalone import STOCK, Standalone
from pipeline.base import progress
from pipeline.base.process import machine
from pipeline.experiments.pulsar.evidence import (
    application_evidence,
    change_rows,
    run_rows,
    service_times,
    step_evidence,
)
from pipeline.experiments.pulsar.evidence.change_rows import Change
from pipeline.experiments.pulsar.evidence.service_times import ServiceTimes
from pipeline.experiments.pulsar.running import planned_resizings
from pipeline.experiments.pulsar.running.pulsar_folders import PulsarFolders
from pipeline.inputs.applications.policy_names import Policy
from pipeline.settings.pulsar_application import application_of, policies_of
from pipeline.settings.pulsar_experiment import FIXED, PulsarExperiment
from pipeline.warehouse.runs import kept_runs, one_live_run_lock
from schemas.tables.pulsar.pulsar_changes import NONE

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work

Row = dict[str, Any]

TABLES = ("pulsar_runs", "pulsar_intervals", "pulsar_steps", "pulsar_changes")

STARTED_S, NEXT_S = 0.015, 0.006
"""From the end of an instance's stop until it works again, and until the next one's turn, s. Of 30
instances that only started, half were created within 5.7 ms of the one before (4 to 18 ms); their
first record began 7 ms later or more, in restarts half within 10 ms."""

_SETTINGS = ("graph", "spacing", "decision_s", "receiver_queue", "guarantee", "hold")


class Case(NamedTuple):
    """One run of an application."""

    experiment: PulsarExperiment
    executor: str
    policy: Policy
    replicate: int
    seed: int

    @property
    def placed(self) -> Row:
        """Values of the key."""
        return {
            "experiment": self.experiment.name,
            "executor": self.executor,
            "policy": self.policy.label,
            "replicate": self.replicate,
        }


def run(work: Work, folders: PulsarFolders) -> dict[str, list[Row]]:
    """Rows of all tables; one Pulsar per executor, one application at a time."""
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    with one_live_run_lock.alone():
        for experiment in work.config.pulsar:
            if experiment.name in work.experiments:
                for measured in _measured(experiment, work.config.seed, folders):
                    for table in TABLES:
                        rows[table] += measured[table]
    return rows


def _measured(
    experiment: PulsarExperiment, root: int, folders: PulsarFolders
) -> Iterator[dict[str, list[Row]]]:
    """Rows of each run of an experiment."""
    kept_runs.begin(folders.of_experiment(experiment.name), folders.version)
    application, numbers = application_of(experiment), count(1)
    for executor in experiment.executors:
        place = folders.of_pulsar(experiment.name, executor)
        shutil.rmtree(place, ignore_errors=True)
        progress.note(f"starting Pulsar, {executor} executor")
        with Standalone(place, executor) as pulsar:
            for case in cases(experiment, executor, application, root):
                number = next(numbers)
                name = f"run {number} of {experiment.amount}: {case.policy.label}, {executor}"
                folder = folders.of_application(
                    experiment.name, executor, case.policy.label, case.replicate
                )
                measure = partial(_run, case, application, pulsar, folder, f"r{number}-")
                yield _rows(case, application, folder, kept_runs.once(folder, name, measure))


def cases(
    experiment: PulsarExperiment, executor: str, application: Application, root: int
) -> Iterator[Case]:
    """Runs with an executor: policies in random order; all have the events of their replicate."""
    fixed = [Policy(FIXED, FIXED, {})]
    policies = fixed if experiment.resizings else policies_of(experiment, application)
    for replicate in range(1, experiment.replicates + 1):
        seed = derive_seed(root, experiment.name, "replicate", replicate)
        order = sorted(policies, key=lambda one: derive_seed(seed, executor, one.label))
        yield from (Case(experiment, executor, one, replicate, seed) for one in order)


def _run(
    case: Case, application: Application, pulsar: Standalone, folder: Path, prefix: str
) -> kept_runs.Notes:
    """Run one case, and what is known only then."""
    slots = planned_resizings.slots(case.experiment, case.seed)
    scaled_application.run(pulsar, _scaled(case, application, slots), folder, prefix)
    return {
        "pulsar_version": pulsar.version,
        "cores": machine.all_cores(),
        "load": os.getloadavg()[0],
    }


def _rows(
    case: Case, application: Application, folder: Path, notes: kept_runs.Notes
) -> dict[str, list[Row]]:
    """What the evidence of a case and its simulation say."""
    experiment = case.experiment
    slots = planned_resizings.slots(experiment, case.seed)
    evidence = application_evidence.read(folder)
    changes = change_rows.made(evidence)
    still = [
        Change(RECOGNISE, slot.at_s, slot.before, slot.after, None)
        for slot in slots
        if slot.kind == NONE
    ]
    resized = [name for name in IMAGE_WIDTHS if experiment.carried_width]
    measured = service_times.measured(evidence, resized)
    simulated = None if experiment.resizings else simulate(case, application, measured)
    window_s = planned_resizings.window_s(experiment)
    total = run_rows.run_row(evidence, application, [*changes, *still], simulated)
    over_time = (evidence, application, changes)
    intervals, steps = (
        [] if simulated is None else list(made(*over_time, simulated))
        for made in (run_rows.interval_rows, step_evidence.rows)
    )
    described = {
        **{name: getattr(experiment, name) for name in _SETTINGS},
        "image_width": experiment.carried_width,
        "image_s": service_times.mean(measured),
        "intervals": len(application.sources[0].pieces),
        **notes,
    }
    listed = change_rows.rows(evidence, application, [*changes, *still], window_s)
    return {
        "pulsar_runs": [case.placed | described | total],
        "pulsar_intervals": [case.placed | row for row in intervals],
        "pulsar_steps": [case.placed | row for row in steps],
        "pulsar_changes": [case.placed | row for row in listed],
    }


def _scaled(case: Case, application: Application, slots: list[planned_resizings.Slot]) -> ScaledRun:
    experiment = case.experiment
    return ScaledRun(
        application,
        experiment.spacing == "exponential",
        case.seed,
        experiment.decision_s,
        experiment.r_max,
        FunctionWork(
            experiment.receiver_queue,
            experiment.guarantee,
            experiment.hold,
            experiment.carried_width,
        ),
        case.policy.name,
        case.policy.arguments,
        planned_resizings.resizings(slots),
    )


def simulate(
    case: Case, application: Application, measured: Mapping[str, ServiceTimes]
) -> ApplicationResult:
    """The simulation of a run: same events, service times, policy, buffers and way to stop.

    measured: Of functions that resized images, whose times were not drawn.
    """
    experiment = case.experiment
    functions = {
        name: one._asdict() | (measured[name].fields if name in measured else {})
        for name, one in application.functions.items()
    }
    sources = {one.name: [(s, rate) for s, rate in one.pieces] for one in application.sources}
    feeding = [(one.name, name) for one in application.sources for name in one.targets]
    edges = [pair for pair in feeding if pair[0] != pair[1]] + list(application.edges)
    settings = {
        "decision_s": experiment.decision_s,
        "receiver_queue": experiment.receiver_queue,
        "startup_s": STARTED_S,
        "start_gap_s": NEXT_S,
        "replace": case.executor == STOCK,
        "in_turn": True,
        "spacing": experiment.spacing,
        "r_max": experiment.r_max,
        "seed": case.seed,
    }
    policy = case.policy
    return simulate_application(functions, edges, sources, policy.name, policy.arguments, settings)
