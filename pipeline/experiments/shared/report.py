"""Stage `report`: one HTML file, its figures, and both as artifacts of the MLflow run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.experiments.family_list import family_of
from pipeline.reporting.tracking import client, retry
from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pipeline.warehouse.runs.context import RunContext
    from pipeline.warehouse.runs.run_results import Results
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, results: Results, ctx: RunContext) -> None:
    """Write the report of the run next to its tables, and the dominance table as CSV for MLflow."""
    page = ctx.paths.report(ctx.run_id)
    folder = page.parent
    folder.mkdir(parents=True, exist_ok=True)
    draft = page.with_suffix(".draft")
    build = load(family_of(work.config).report)
    draft.write_text(build(results), encoding="utf-8")
    draft.replace(page)
    if "dominance" in results.tables:
        results["dominance"].to_csv(folder / "dominance.csv", index=False)
    if attached := family_of(work.config).attached:
        load(attached)(ctx, folder)
    warehouse = tables.warehouse(work.spark, ctx.paths)
    samples = ctx.paths.samples(ctx.run_id)
    retry.insist(lambda: _attach(ctx.run_id, warehouse, folder, samples), ctx.run_id)


def _attach(run_id: str, warehouse: str, folder: Path, samples: Path) -> None:
    """Attach the report without its samples to the MLflow run, if there is one."""
    tracked = client.find(run_id, warehouse)
    if tracked is not None:
        client.log_artifacts(tracked, folder, without=[samples])
