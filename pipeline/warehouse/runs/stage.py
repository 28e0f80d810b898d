"""A stage of the pipeline: what it reads, what it writes, and the function between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.settings.run_config import RunConfig, Unit


@dataclass(frozen=True)
class OneTable:
    """An input that is read from one table."""

    table: str

    @property
    def name(self) -> str:
        """Parameter of the stage's function."""
        return self.table

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that are read."""
        return (self.table,)


@dataclass(frozen=True)
class Rows(OneTable):
    """The run's rows of a table in memory, as a pandas frame without ``run_id``."""

    columns: tuple[str, ...] = ()
    """Columns to read; empty: all except ``without``."""
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frame(OneTable):
    """Rows of a table as a Spark frame without ``run_id``: those of the units of the task."""


@dataclass(frozen=True)
class Made:
    """What a function ``module:function`` of session and run makes of tables or files."""

    name: str
    """Parameter of the stage's function."""
    function: str
    tables: tuple[str, ...] = ()
    """Tables that the function reads."""


Input = Rows | Frame | Made

TRACES = Made("traces", "pipeline.warehouse.runs.parsed_traces:of_run")
"""The recorded traces of a run, by stream."""


def always(config: RunConfig) -> bool:
    """Return True: every run has the stage."""
    return True


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline."""

    name: str
    meaning: str
    module: str
    """Full name of the module whose function ``run`` does the work; loaded when the stage runs."""
    reads: tuple[Input, ...] = ()
    """What ``run`` gets besides its `Work`, as parameters of the same names."""
    writes: tuple[str, ...] = ()
    """Tables that the stage fills; each is checked right after it. ``run`` returns the rows of the
    table, or a mapping of several tables to their rows: mappings, an Arrow table or a Spark
    frame, all without ``run_id``."""
    mapped: bool = False
    """Whether one unit (experiment, δ) can be run, and retried, alone."""
    summary: bool = False
    """Whether it only reads tables with a row per stream and algorithm."""
    when: Callable[[RunConfig], bool] = always
    """Whether a run of the family has the stage."""

    @property
    def run(self) -> Callable[..., Any]:
        """The stage's function."""
        function: Callable[..., Any] = import_module(self.module).run
        return function


@dataclass(frozen=True)
class Work:
    """What a stage works on, besides the tables that it reads."""

    spark: SparkSession
    config: RunConfig
    units: Sequence[Unit]
    """Units of the task; all units of the run if the stage is not mapped."""
    kept: list[DataFrame] = field(default_factory=list)
    """Frames that are computed once."""

    @property
    def experiments(self) -> set[str]:
        """Names of the experiments of the units."""
        return {unit.experiment for unit in self.units}

    def keep(self, frame: DataFrame) -> DataFrame:
        """The frame, computed once until all that the stage returns is written."""
        self.kept.append(frame.persist())
        return self.kept[-1]

    def release(self) -> None:
        """Forget the frames that were kept."""
        for frame in self.kept:
            frame.unpersist()
