"""The family `assignment`: its stages, in the order in which they run.

To add a stage, write a module in `pipeline.experiments.assignment.stages` and add an entry here.
The module's function ``run`` gets a `Work` and what the entry reads. The command line, the Airflow
DAGs and the table checks pick it up.
"""

from __future__ import annotations

from pipeline.experiments.assignment.paper.paper_setting import RECORDED_DIGEST
from pipeline.experiments.streams.stream_stage import STREAMS
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.experiment_family import Family
from pipeline.warehouse.runs.stage import Frame, Made, Rows, Stage

_STAGES = "pipeline.experiments.assignment.stages"

_FRAMES = "pipeline.experiments.assignment.results.sums_over_streams"

_TESTED = (
    *("experiment", "delta", "algorithm", "replicate", "stream_id"),
    *("cbs_common", "mean_rscore"),
)
"""Columns of `scores` that statistics are made of."""

_RATES = (Frame("streams"), Frame("measurements"))

_LATENCY = Rows("latency", without=("histogram",))
"""Of the largest column of `latency` only sums are needed."""


def _has_figures(config: RunConfig) -> bool:
    """Whether the paper's figures say anything: not about somebody's own traces."""
    digests = {trace.digest for trace in config.traces}
    return not digests or RECORDED_DIGEST in digests


def _has_bounds(config: RunConfig) -> bool:
    return config.has_bounds


FAMILY = Family(
    name="assignment",
    kernels="pipeline.experiments.assignment.kernels",
    streams=f"{_STAGES}.assignment_streams",
    audit="pipeline.experiments.assignment.stages.audit_frames:frame",
    results=(
        *map(Rows, ("scores", "pareto", "rankings", "indicators", "dominance")),
        *map(Rows, ("published_figures", "bounds")),
        _LATENCY,
        Made("streams", "pipeline.warehouse.runs.stage_inputs:streams"),
        Made("series", f"{_FRAMES}:curves"),
        Made("histograms", f"{_FRAMES}:histograms"),
        Made("hot_rates", f"{_FRAMES}:hot_rates"),
        Made("hot_names", f"{_FRAMES}:hot_names"),
    ),
    report="pipeline.experiments.assignment.sections.page:build",
    sections="pipeline.experiments.assignment.sections.assignment_sections:written",
    tracked="pipeline.experiments.assignment.tracking.mlflow_content:tracked",
    noted="pipeline.experiments.assignment.stages.capacity_notes:notes",
    stages=(
        STREAMS,
        Stage(
            "run_algorithms",
            "assignments of every algorithm at every iteration",
            f"{_STAGES}.run_algorithms",
            reads=_RATES,
            writes=("assignments",),
            mapped=True,
        ),
        Stage(
            "bounds",
            "proved bounds on consumers and Rscore",
            f"{_STAGES}.compute_bounds",
            reads=(*_RATES, Frame("assignments")),
            writes=("bounds",),
            when=_has_bounds,
        ),
        Stage(
            "score",
            "CBS, mean Rscore and mean consumers",
            f"{_STAGES}.score",
            reads=(Frame("streams"), Frame("assignments"), Frame("bounds")),
            writes=("scores",),
        ),
        Stage(
            "simulate_latency",
            "latency percentiles in closed form",
            f"{_STAGES}.simulate_latency",
            reads=(*_RATES, Frame("assignments")),
            writes=("latency",),
            mapped=True,
        ),
        Stage(
            "extract_pareto",
            "Pareto fronts with intervals",
            f"{_STAGES}.extract_pareto",
            reads=(Frame("scores"), Frame("latency")),
            writes=("pareto",),
            summary=True,
        ),
        Stage(
            "statistics",
            "comparisons over replicates and indicators of fronts",
            f"{_STAGES}.compute_statistics",
            reads=(Rows("scores", _TESTED),),
            writes=("comparisons", "rankings", "indicators", "dominance"),
            summary=True,
        ),
        Stage(
            "judge_figures",
            "verdicts on the paper's figures",
            f"{_STAGES}.judge_figures",
            reads=(
                Rows("streams", without=("partitions",)),
                Rows("scores"),
                _LATENCY,
                Rows("pareto"),
            ),
            writes=("published_figures",),
            summary=True,
            when=_has_figures,
        ),
    ),
)
