"""Simulations in which autoscaling strategies run."""

from algorithms.simulation.application import simulate_application
from algorithms.simulation.application_result import ApplicationResult
from algorithms.simulation.group_result import Result
from algorithms.simulation.group_simulation import simulate

__all__ = ["ApplicationResult", "Result", "simulate", "simulate_application"]
