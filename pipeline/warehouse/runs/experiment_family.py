"""A family of experiments: its stages, and its functions on a run's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.run_config import RunConfig, Unit
    from pipeline.warehouse.runs.context import RunContext

Run = Callable[["SparkSession", "RunContext", "Sequence[Unit] | None"], None]


def always(config: RunConfig) -> bool:
    """Return True: every run has the stage."""
    return True


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline.

    Attributes
    ----------
    module
        Full name of the module whose function ``run`` does the work; loaded when the stage runs.
    writes
        Tables that the stage fills; each is checked right after it.
    mapped
        Whether one unit (experiment, δ) can be run, and retried, alone.
    summary
        Whether it only reads tables with a row per stream and algorithm.
    when
        Whether a run of a configuration has the stage.
    """

    name: str
    meaning: str
    module: str
    writes: tuple[str, ...] = ()
    mapped: bool = False
    summary: bool = False
    when: Callable[[RunConfig], bool] = always

    @property
    def run(self) -> Run:
        """The stage's function: session, run, units to work on (None: all of the run)."""
        function: Run = import_module(self.module).run
        return function


@dataclass(frozen=True)
class Family:
    """A family of experiments. Functions are named ``module:function`` and loaded when needed.

    Attributes
    ----------
    stages
        In the order in which they run.
    kernels
        Module of the compiled kernels, whose function ``load`` loads them all.
    audit
        ``(session, run, table)`` to the counts that are checked in place of a large table's rows.
    results
        ``(session, run)`` to the run's tables in memory.
    report
        ``(results)`` to the HTML page of a run.
    shown
        ``(results, console)`` to the tables of a run for a terminal.
    tracked
        ``(results, warehouse)`` to what MLflow stores of a run.
    admitted
        ``(config, paths, run_id)``: raises `InputError` if this machine cannot do a run, before
        anything is written; empty if there is nothing to check.
    noted
        ``(config, run_id)`` to the notes printed before a run, one line each; empty if there
        are none.
    timed
        ``(config, seconds)``: raises `InputError` if a task would take longer; empty if there is
        nothing to check.
    attached
        ``(run, folder)``: writes further files beside the report, which MLflow stores; empty if
        there are none.
    gated
        Whether the regression gate compares runs: not if every run is a measurement.
    """

    name: str
    stages: tuple[Stage, ...]
    kernels: str
    audit: str
    results: str
    report: str
    shown: str
    tracked: str
    admitted: str = ""
    noted: str = ""
    timed: str = ""
    attached: str = ""
    gated: bool = True

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that the stages write."""
        return tuple(dict.fromkeys(table for stage in self.stages for table in stage.writes))


def load(reference: str) -> Callable[..., Any]:
    """The function of a name ``module:function``."""
    module, _, name = reference.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
