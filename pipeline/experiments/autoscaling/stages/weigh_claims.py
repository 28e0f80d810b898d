"""Stage `weigh_claims`: paired differences of candidates under each setting that is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.autoscaling.paper import group_claims, paired_claims, workload_runs
from pipeline.warehouse.runs.run_results import keyed

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, claim_runs: pd.DataFrame) -> Iterator[Mapping[str, object]]:
    """Rows of `claim_differences`."""
    labelled = keyed(claim_runs).rename(columns={"algorithm": "label"})
    for one, workload in workload_runs.claimed(work.config):
        own = labelled[labelled["experiment"] == one.name]
        for claim in group_claims.claims(one, workload):
            for row in paired_claims.differences(own, claim, work.config.seed):
                yield {"experiment": one.name, **row}
