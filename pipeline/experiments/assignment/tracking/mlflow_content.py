"""MLflow content of a run: parameters, tags and metrics from its tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from pipeline.experiments.assignment.paper import paper_runs
from pipeline.experiments.assignment.results import decision
from pipeline.experiments.assignment.results.decision import Decision
from pipeline.experiments.assignment.sections import decision_text
from pipeline.experiments.assignment.sections.assignment_sections import written
from pipeline.experiments.assignment.tracking.algorithm_metrics import Cell, cells
from pipeline.experiments.assignment.tracking.front_metrics import frontier
from pipeline.reporting.sections import published_section
from pipeline.reporting.sections.published_section import NOTHING, sentence
from pipeline.reporting.tracking import run_content, section_metrics
from pipeline.reporting.tracking.content import Content, RunInfo, TrackedRun
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import MEANINGS

SIZES = ("partitions", "iterations", "capacity")


def tracked(results: Results, warehouse: str = "") -> TrackedRun:
    """The run of these tables, with one child run per experiment, δ and algorithm.

    warehouse: Identity of the run's warehouse, since run ids are unique only within one.
    """
    info = RunInfo.of(results, warehouse)
    every = cells(results)
    return TrackedRun(info, _parent(info, results), partial(_children, info, every))


def _parent(info: RunInfo, results: Results) -> Content:
    """The run as a whole: how it was made, how long it took, the verdicts and all scores."""
    section = published_section.of_run(results) if paper_runs.applies(results) else NOTHING
    tags = {f"verdict.{one.key}": one.verdict for one in section.every}
    counts = dict.fromkeys(MEANINGS, 0) | section.tally if section.every else {}
    metrics = published_section.metrics(counts)
    metrics |= {f"reproduction.{one.key}": one.our_value for one in section.every}
    metrics |= section_metrics.metrics(written(results).experiments) | frontier(results)
    decided = results.once(decision.decisions)
    sentences = [*map(decision_text.sentences, decided), sentence(section.tally)]
    words = " ".join(filter(None, sentences))
    tags |= {f"decision.{one.experiment}": one.best.algorithm for one in decided}
    for one in decided:
        metrics |= _of_decision(one)
    return run_content.parent(info, results["differences"], words, tags, metrics)


def _of_decision(decided: Decision) -> dict[str, float]:
    """What the recommended algorithm costs, as metrics of the parent run."""
    best, place = decided.best, f"decision/{decided.experiment}"
    values = {
        "consumers": best.consumers,
        "peak_consumers": best.peak,
        "rebalances_per_day": best.rebalances,
        "moved_bytes_per_day": best.moved_bytes,
    }
    return {f"{place}/{name}": value for name, value in values.items() if math.isfinite(value)}


def _children(info: RunInfo, every: Sequence[Cell], parent_id: str) -> Iterator[Content]:
    """One per experiment, δ and algorithm, in the order of display."""
    for cell in every:
        setting = info.experiments.get(cell.experiment, {})
        names = {"experiment": cell.experiment, "algorithm": cell.algorithm, "delta": cell.delta}
        params = {"replicates": str(cell.row["replicates"])}
        params |= {key: run_content.text(setting[key]) for key in SIZES if key in setting}
        name = f"{cell.where} {cell.algorithm}"
        yield run_content.child(info, parent_id, name, names, params, cell.metrics, cell.curves)
