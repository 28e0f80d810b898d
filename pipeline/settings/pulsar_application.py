"""The application that an experiment on Pulsar runs, and the policies that scale it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.simulation.application_graph import Application, check_application
from algorithms.workloads.image_application import image_application
from live.pulsar.function_settings import RECOGNISE
from pipeline.inputs.applications import policy_names
from pipeline.inputs.applications.policy_names import Policy

if TYPE_CHECKING:
    from pipeline.settings.pulsar_experiment import PulsarExperiment


def application_of(experiment: PulsarExperiment) -> Application:
    """The application with its load.

    Where changes are made at set times, the load is constant and so is the time of a record: gaps
    in the output are then those of the change.
    """
    steady = bool(experiment.resizings)
    loads = experiment.load_levels[:1] if steady else experiment.load_levels
    seconds = experiment.seconds / len(loads)
    workload = image_application(experiment.recognise_s, loads, seconds)
    functions = {
        name: {**fields, "initial": experiment.first_instances} | ({"cs": 0.0} if steady else {})
        for name, fields in workload.functions.items()
        if name == RECOGNISE or experiment.graph != RECOGNISE
    }
    edges = [("images", RECOGNISE)] if experiment.graph == RECOGNISE else workload.edges
    return check_application(functions, edges, workload.sources)


def policies_of(experiment: PulsarExperiment, application: Application) -> list[Policy]:
    """The policies with their arguments. Raises InvalidParameterError if one is wrong."""
    policies = policy_names.parse(experiment.policies)
    policy_names.check(policies, application, experiment.r_max)
    return policies
