"""Stage `report`: one HTML file, its tables as JSON, and both as artifacts of the MLflow run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.base.process import replaced_file
from pipeline.experiments.family_list import family_of
from pipeline.reporting.sections import section_json, stored_sections
from pipeline.reporting.tracking import client, registered_models, retry
from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pipeline.reporting.tracking.content import TrainedModel
    from pipeline.warehouse.runs.context import RunContext
    from pipeline.warehouse.runs.run_results import Results
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, results: Results, ctx: RunContext) -> None:
    """Write the report of the run, also as JSON and for a terminal, and `dominance` as CSV."""
    page = ctx.paths.report(ctx.run_id)
    folder = page.parent
    folder.mkdir(parents=True, exist_ok=True)
    own = family_of(work.config)
    build = load(own.report)
    replaced_file.write_text(page, build(results))
    written = load(own.sections)(results)
    (folder / "report.json").write_text(section_json.text(written), encoding="utf-8")
    ctx.paths.printed(ctx.run_id).write_text(stored_sections.text(written), encoding="utf-8")
    if "dominance" in results.tables:
        results["dominance"].to_csv(folder / "dominance.csv", index=False)
    models = load(own.attached)(ctx, folder) if own.attached else []
    warehouse = tables.warehouse(work.spark, ctx.paths)
    samples = ctx.paths.samples(ctx.run_id)
    retry.insist(lambda: _attach(ctx.run_id, warehouse, folder, samples, models), ctx.run_id)


def _attach(
    run_id: str, warehouse: str, folder: Path, samples: Path, models: Sequence[TrainedModel]
) -> None:
    """Attach report and policies, without samples, to the MLflow run, if there is one."""
    tracked = client.find(run_id, warehouse)
    if tracked is not None:
        client.log_artifacts(tracked, folder, without=[samples])
        if models:
            registered_models.register(tracked, models)
