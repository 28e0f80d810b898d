"""The family `autoscaling`: its stages, in the order in which they run."""

from __future__ import annotations

from pipeline.experiments.streams.stream_stage import STREAMS
from pipeline.inputs.traces import published_workloads
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.experiment_family import Family
from pipeline.warehouse.runs.stage import TRACES, Frame, Made, Rows, Stage

_STAGES = "pipeline.experiments.autoscaling.stages"

_KEPT_SEEDS = Made("folder", "pipeline.experiments.autoscaling.kernels.kept_seeds:of_run")

_COMPARED = (
    *("experiment", "strategy", "setting"),
    *("sla_percent", "replica_minutes", "n_up", "n_down", "max"),
)
"""Columns of `simulations` that papers have figures of."""

_CLAIMED = (*_COMPARED, "arrivals")
"""Columns of `claim_runs` that they have figures of."""


def _has_published(config: RunConfig) -> bool:
    digests = [trace.digest for trace in config.traces]
    return any(map(published_workloads.recognised, digests))


def _has_claims(config: RunConfig) -> bool:
    return any(one.claim_seeds for one in config.autoscaling)


def _has_bad_hours(config: RunConfig) -> bool:
    return any(one.bad_hour_seeds for one in config.autoscaling)


def _is_compared(config: RunConfig) -> bool:
    return _has_published(config) or _has_claims(config)


def _is_recorded(config: RunConfig) -> bool:
    return bool(config.traces) and not _is_compared(config)


FAMILY = Family(
    name="autoscaling",
    kernels="pipeline.experiments.autoscaling.kernels",
    streams=f"{_STAGES}.workload_streams",
    audit="pipeline.experiments.autoscaling.results.scaling_audits:frame",
    results=(
        *map(Rows, ("simulations", "trade_offs", "published_figures", "recommendations")),
        *map(Rows, ("claim_differences", "bad_hour_effects")),
        Made("streams", "pipeline.warehouse.runs.stage_inputs:streams"),
        Made("trajectories", "pipeline.experiments.autoscaling.results.thinned_trajectories:read"),
    ),
    report="pipeline.experiments.autoscaling.sections.scaling_page:build",
    tracked="pipeline.experiments.autoscaling.tracking.strategy_runs:tracked",
    sections="pipeline.experiments.autoscaling.sections.scaling_sections:written",
    noted="pipeline.experiments.autoscaling.workloads.workload_notes:notes",
    stages=(
        STREAMS,
        Stage(
            "simulate_groups",
            "replicas, latency and migrations of every strategy",
            f"{_STAGES}.simulate_groups",
            reads=(Frame("streams"), Frame("measurements")),
            writes=("simulations", "trajectories", "actions"),
            mapped=True,
        ),
        Stage(
            "weigh_trade_offs",
            "service against cost with intervals, and the fronts",
            f"{_STAGES}.weigh_trade_offs",
            reads=(Rows("simulations"),),
            writes=("trade_offs",),
            summary=True,
        ),
        Stage(
            "simulate_claims",
            "candidates under all settings that their paper leaves open, over seeds",
            f"{_STAGES}.simulate_claims",
            reads=(TRACES, _KEPT_SEEDS),
            writes=("claim_runs",),
            when=_has_claims,
        ),
        Stage(
            "weigh_claims",
            "paired differences of candidates under each of these settings",
            f"{_STAGES}.weigh_claims",
            reads=(Rows("claim_runs"),),
            writes=("claim_differences",),
            summary=True,
            when=_has_claims,
        ),
        Stage(
            "simulate_bad_hours",
            "strategies in events at the busiest hour, over seeds",
            f"{_STAGES}.simulate_bad_hours",
            reads=(TRACES,),
            writes=("bad_hour_runs",),
            when=_has_bad_hours,
        ),
        Stage(
            "weigh_bad_hours",
            "late events and time until the lag is gone of each event, with intervals",
            f"{_STAGES}.weigh_bad_hours",
            reads=(Rows("bad_hour_runs"),),
            writes=("bad_hour_effects",),
            summary=True,
            when=_has_bad_hours,
        ),
        Stage(
            "compare_figures",
            "published figures next to ours, with verdicts",
            f"{_STAGES}.compare_figures",
            reads=(
                Rows("simulations", _COMPARED),
                Rows("claim_runs", _CLAIMED),
                Rows("claim_differences"),
            ),
            writes=("published_figures",),
            when=_is_compared,
        ),
        Stage(
            "recommend_groups",
            "what to deploy for each recorded workload, as a page",
            f"{_STAGES}.recommend_groups",
            reads=(TRACES, Made("ctx", "pipeline.experiments.shared.read_results:itself")),
            writes=("recommendations",),
            when=_is_recorded,
        ),
    ),
)
