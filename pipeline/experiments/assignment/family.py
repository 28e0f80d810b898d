"""The family `assignment`: its stages, in the order in which they run.

To add a stage, write a module in `pipeline.experiments.assignment.stages` with ``run(spark, ctx,
units)`` and add an entry here. The command line, the Airflow DAGs and the table checks pick it up.
"""

from __future__ import annotations

from pipeline.experiments.assignment.paper.recorded_stream import RECORDED_DIGEST
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.experiment_family import Family, Stage

_STAGES = "pipeline.experiments.assignment.stages"


def _is_assignment(config: RunConfig) -> bool:
    return bool(config.experiments)


def _has_traces(config: RunConfig) -> bool:
    return bool(config.experiments) and bool(config.traces)


def _has_none(config: RunConfig) -> bool:
    return bool(config.experiments) and not config.traces


def _has_figures(config: RunConfig) -> bool:
    """Whether the paper's figures say anything: not about somebody's own traces."""
    digests = {trace.digest for trace in config.traces}
    return bool(config.experiments) and (not digests or RECORDED_DIGEST in digests)


def _has_bounds(config: RunConfig) -> bool:
    return config.has_bounds


FAMILY = Family(
    name="assignment",
    kernels="pipeline.experiments.assignment.kernels",
    audit="pipeline.experiments.assignment.stages.audit_frames:frame",
    results="pipeline.experiments.assignment.results.run_tables:read",
    report="pipeline.experiments.assignment.sections.page:build",
    shown="pipeline.experiments.assignment.sections.summary_tables:shown",
    tracked="pipeline.experiments.assignment.tracking.mlflow_content:tracked",
    noted="pipeline.experiments.assignment.stages.capacity_notes:notes",
    stages=(
        Stage(
            "generate_streams",
            "write speeds of generated streams, derived from the root seed",
            f"{_STAGES}.generate_streams",
            writes=("streams", "measurements"),
            when=_has_none,
        ),
        Stage(
            "import_traces",
            "write speeds of recorded traces, instead of generated streams",
            f"{_STAGES}.import_traces",
            writes=("streams", "measurements"),
            when=_has_traces,
        ),
        Stage(
            "run_algorithms",
            "assignments of every algorithm at every iteration",
            f"{_STAGES}.run_algorithms",
            writes=("assignments",),
            mapped=True,
            when=_is_assignment,
        ),
        Stage(
            "bounds",
            "proved bounds on consumers and Rscore",
            f"{_STAGES}.compute_bounds",
            writes=("bounds",),
            when=_has_bounds,
        ),
        Stage(
            "score",
            "CBS, mean Rscore and mean consumers",
            f"{_STAGES}.score",
            writes=("scores",),
            when=_is_assignment,
        ),
        Stage(
            "simulate_latency",
            "latency percentiles in closed form",
            f"{_STAGES}.simulate_latency",
            writes=("latency",),
            mapped=True,
            when=_is_assignment,
        ),
        Stage(
            "extract_pareto",
            "Pareto fronts with intervals",
            f"{_STAGES}.extract_pareto",
            writes=("pareto",),
            summary=True,
            when=_is_assignment,
        ),
        Stage(
            "statistics",
            "comparisons over replicates and indicators of fronts",
            f"{_STAGES}.compute_statistics",
            writes=("comparisons", "rankings", "indicators", "dominance"),
            summary=True,
            when=_is_assignment,
        ),
        Stage(
            "judge_figures",
            "verdicts on the paper's figures",
            f"{_STAGES}.judge_figures",
            writes=("published_figures",),
            summary=True,
            when=_has_figures,
        ),
    ),
)
