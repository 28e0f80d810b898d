"""A family of experiments: its stages, and its functions on a run's tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pipeline.warehouse.runs.stage import Input, Stage


@dataclass(frozen=True)
class Family:
    """A family of experiments. Functions are named ``module:function`` and loaded when needed."""

    name: str
    stages: tuple[Stage, ...]
    """In the order in which they run."""
    kernels: str
    """Module of the compiled kernels, whose function ``load`` loads them all."""
    results: tuple[Input, ...]
    """What report, MLflow and terminal have in memory; other tables are only counted."""
    report: str
    """``(results)`` to the HTML page of a run."""
    sections: str
    """``(results)`` to all that is written about a run, which terminal and JSON are made of."""
    tracked: str
    """``(results, warehouse)`` to what MLflow stores of a run."""
    streams: str = ""
    """Module of a family with streams. Its function ``streams`` of configuration and traces makes
    each `pipeline.experiments.streams.stream.Stream`, and ``draws`` of the configuration returns
    what Spark's tasks make the rates of generated ones with."""
    audit: str = ""
    """``(session, run, table)`` to the counts that are checked in place of a large table's rows;
    empty if the family has no such table."""
    admitted: str = ""
    """``(config, paths, run_id)``: raises `InputError` if this machine cannot do a run, before
    anything is written; empty if there is nothing to check."""
    noted: str = ""
    """``(config, run_id)`` to the notes printed before a run, one line each; empty if there are
    none."""
    timed: str = ""
    """``(config, seconds)``: raises `InputError` if a task would take longer; empty if there is
    nothing to check."""
    attached: str = ""
    """``(run, folder)`` to the policies that MLflow registers: writes further files beside the
    report, which MLflow stores; empty if there are none."""
    gated: bool = True
    """Whether the regression gate compares runs: not if every run is a measurement."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that the stages write."""
        return tuple(dict.fromkeys(table for stage in self.stages for table in stage.writes))


def load(reference: str) -> Callable[..., Any]:
    """The function of a name ``module:function``."""
    module, _, name = reference.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
