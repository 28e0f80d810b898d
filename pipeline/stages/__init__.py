"""The stages, in the order in which they run: the one list that everything follows.

To add a stage, write a module here with ``run(spark, ctx, units)`` and add an entry of the
same name to `STAGES`; the command line, the Airflow DAG and the checks of its tables follow.
The list is cheap to import: a stage's module is loaded when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.config.run_config import RunConfig, Unit
    from pipeline.runs.context import RunContext

BOUNDS = "bounds"
"""The stage that a run has only where its configuration asks for it."""

Run = Callable[["SparkSession", "RunContext", "Sequence[Unit] | None"], None]


@dataclass(frozen=True)
class Stage:
    """One step of the pipeline.

    Attributes
    ----------
    name
        Name of the stage and of its module in this package.
    writes
        Tables that the stage fills; each is checked right after it.
    mapped
        Whether one unit (experiment, δ) can be run, and retried, alone.
    summary
        Whether it reads tables with a row per stream and algorithm, and none with more.
    """

    name: str
    meaning: str
    writes: tuple[str, ...] = ()
    mapped: bool = False
    summary: bool = False
    module: str = ""
    package: str = "pipeline.assignment.stages"

    @property
    def run(self) -> Run:
        """The stage's function: session, run, units to work on (None: all of the run)."""
        function: Run = import_module(f"{self.package}.{self.module or self.name}").run
        return function


STAGES: tuple[Stage, ...] = (
    Stage(
        "generate_streams",
        "write speeds of generated streams, from the root seed",
        writes=("streams", "measurements"),
    ),
    Stage(
        "import_traces",
        "write speeds of recorded traces, in place of generated streams",
        writes=("streams", "measurements"),
    ),
    Stage(
        "run_algorithms",
        "assignments of every algorithm, iteration by iteration",
        writes=("assignments",),
        mapped=True,
    ),
    Stage(
        BOUNDS,
        "how well any algorithm could do, proved",
        writes=("bounds",),
        module="compute_bounds",
    ),
    Stage("score", "CBS, mean Rscore and mean consumers", writes=("scores",)),
    Stage(
        "simulate_latency",
        "latency percentiles in closed form",
        writes=("latency",),
        mapped=True,
    ),
    Stage("extract_pareto", "fronts with intervals", writes=("pareto",), summary=True),
    Stage(
        "statistics",
        "comparisons over replicates, and indicators of fronts",
        writes=("comparisons", "rankings", "indicators", "dominance"),
        summary=True,
        module="compute_statistics",
    ),
    Stage(
        "compare",
        "differences from the baseline",
        writes=("differences",),
        summary=True,
        package=__name__,
    ),
    Stage("track", "MLflow runs", package=__name__),
    Stage("report", "the HTML report", package=__name__),
)


def stage(name: str) -> Stage:
    """Return the stage of that name; KeyError for an unknown one."""
    return {item.name: item for item in STAGES}[name]


def stages_of(config: RunConfig) -> tuple[Stage, ...]:
    """Stages that a run of this configuration has.

    Streams are generated or imported, and there are bounds only where they are asked for.
    """
    left_out = {"generate_streams" if config.traces else "import_traces"}
    left_out |= set() if config.has_bounds else {BOUNDS}
    return tuple(item for item in STAGES if item.name not in left_out)
