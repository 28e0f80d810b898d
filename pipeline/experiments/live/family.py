"""The family `live`: its stages, in the order in which they run."""

from __future__ import annotations

from pipeline.experiments.streams.stream_stage import STREAMS
from pipeline.warehouse.runs.experiment_family import Family
from pipeline.warehouse.runs.stage import Made, Rows, Stage

_STAGES = "pipeline.experiments.live.stages"

_FOLDERS = Made("folders", "pipeline.experiments.live.running.live_folders:of_stage")
"""Where processes leave evidence."""


FAMILY = Family(
    name="live",
    kernels="pipeline.experiments.live.kernels",
    streams="pipeline.experiments.live.running.live_streams",
    audit="pipeline.experiments.live.results.live_audits:frame",
    results=(
        *map(Rows, ("live_runs", "live_plans", "live_events")),
        *map(Rows, ("live_latency", "live_integrity", "live_agreement")),
        *map(Rows, ("live_courses", "live_recoveries")),
        Rows("published_figures"),
        Made("streams", "pipeline.warehouse.runs.stage_inputs:streams"),
        Made("lag_by_second", "pipeline.experiments.live.results.lag_by_second:read"),
        Made("load_by_consumer", "pipeline.experiments.live.results.load_by_consumer:read"),
    ),
    report="pipeline.experiments.live.sections.live_page:build",
    tracked="pipeline.experiments.live.tracking.live_children:tracked",
    sections="pipeline.experiments.live.sections.live_sections:written",
    admitted="pipeline.experiments.live.running.admission:check",
    noted="pipeline.experiments.live.running.live_notes:notes",
    timed="pipeline.experiments.live.running.admission:check_time",
    gated=False,
    stages=(
        STREAMS,
        Stage(
            "measure_groups",
            "every strategy on a Kafka broker, and what its evidence says",
            f"{_STAGES}.measure_groups",
            reads=(
                Rows("streams", ("stream_id", "experiment", "replicate", "seed")),
                Rows("measurements", ("experiment", "stream_id", "iteration", "rates")),
                _FOLDERS,
            ),
            writes=(
                *("live_runs", "live_plans", "live_events"),
                *("live_lag", "live_latency", "live_integrity"),
            ),
            mapped=True,
        ),
        Stage(
            "compare_predictions",
            "figures from the broker next to those of simulators, with verdicts",
            f"{_STAGES}.compare_predictions",
            reads=(_FOLDERS,),
            writes=("live_agreement", "live_courses", "live_recoveries"),
        ),
        Stage(
            "compare_published",
            "published figures next to ours, with verdicts",
            f"{_STAGES}.compare_published",
            reads=(
                Rows(
                    "live_runs",
                    (
                        *("experiment", "strategy", "replicate", "batch_histogram"),
                        *("sla_percent", "replica_minutes", "n_up", "n_down", "peak_s"),
                    ),
                ),
                Rows("live_plans"),
            ),
            writes=("published_figures",),
        ),
    ),
)
