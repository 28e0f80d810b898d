"""Which algorithms figures 5 and 6 draw."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.assignment import registry
from pipeline.experiments.assignment.results import decision, studies
from pipeline.experiments.assignment.results.studies import LatencyStudy
from pipeline.warehouse.runs.run_results import Results


class Shown(NamedTuple):
    """Names of algorithms."""

    packing: list[str]
    """Those whose number of consumers changes."""
    fixed: list[str]
    """Fixed groups, ascending."""


def shown(results: Results, study: LatencyStudy) -> Shown:
    """Those of the paper's figures, and the one that the answer recommends for a trace."""
    packing, fixed = studies.packing_shown(study), studies.kafka_shown(study)
    best = _recommended(results, study.name)
    if best is not None and best not in (*packing, *fixed):
        if registry.members_of(best) is None:
            packing = [*packing, best]  # Above the others where curves coincide.
        else:
            fixed = sorted([*fixed, best], key=lambda name: registry.members_of(name) or 0)
    return Shown(packing, fixed)


def _recommended(results: Results, experiment: str) -> str | None:
    decided = results.once(decision.decisions)
    return next((one.best.algorithm for one in decided if one.experiment == experiment), None)
