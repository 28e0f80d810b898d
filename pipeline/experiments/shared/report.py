"""Stage `report`: one HTML file, its tables as JSON, and both as artifacts of the MLflow run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.experiments.family_list import family_of
from pipeline.reporting.sections import section_json
from pipeline.reporting.tracking import client, retry
from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pipeline.warehouse.runs.context import RunContext
    from pipeline.warehouse.runs.run_results import Results
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, results: Results, ctx: RunContext) -> None:
    """Write the report of the run next to its tables, as JSON, and table `dominance` as CSV."""
    page = ctx.paths.report(ctx.run_id)
    folder = page.parent
    folder.mkdir(parents=True, exist_ok=True)
    draft = page.with_suffix(".draft")
    own = family_of(work.config)
    build = load(own.report)
    draft.write_text(build(results), encoding="utf-8")
    draft.replace(page)
    if own.sections:
        content = section_json.text(load(own.sections)(results))
        (folder / "report.json").write_text(content, encoding="utf-8")
    if "dominance" in results.tables:
        results["dominance"].to_csv(folder / "dominance.csv", index=False)
    if own.attached:
        load(own.attached)(ctx, folder)
    warehouse = tables.warehouse(work.spark, ctx.paths)
    samples = ctx.paths.samples(ctx.run_id)
    retry.insist(lambda: _attach(ctx.run_id, warehouse, folder, samples), ctx.run_id)


def _attach(run_id: str, warehouse: str, folder: Path, samples: Path) -> None:
    """Attach the report without its samples to the MLflow run, if there is one."""
    tracked = client.find(run_id, warehouse)
    if tracked is not None:
        client.log_artifacts(tracked, folder, without=[samples])
