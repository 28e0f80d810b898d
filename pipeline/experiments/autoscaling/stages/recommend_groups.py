"""Stage `recommend_groups`: what to deploy for each recorded workload, with a page each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pipeline.base.process import replaced_file
from pipeline.experiments.autoscaling.answers import run_answers
from pipeline.experiments.autoscaling.stages.workload_streams import workload_of
from pipeline.experiments.autoscaling.workloads.workload import cut

if TYPE_CHECKING:
    from pipeline.inputs.traces import Trace
    from pipeline.warehouse.runs.context import RunContext
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, traces: Mapping[str, Trace], ctx: RunContext) -> Iterator[Mapping[str, Any]]:
    """Rows of `recommendations`; pages are files beside the report."""
    folder = ctx.paths.report(ctx.run_id).parent
    folder.mkdir(parents=True, exist_ok=True)
    experiments = work.config.autoscaling
    for experiment in experiments:
        recorded = workload_of(experiment, traces[str(experiment.trace)])
        workload = cut(recorded, experiment.arrivals)
        answer = run_answers.answer(experiment, workload, work.config.seed)
        name = f"recommendation{f'-{experiment.name}' * (len(experiments) > 1)}.html"
        if answer.page:
            replaced_file.write_text(folder / name, answer.page)
        yield answer.row | {"page": name if answer.page else None}
