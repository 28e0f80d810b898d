"""Stage `weigh_trade_offs`: service against cost over replicates, and the fronts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from pipeline.experiments.autoscaling.kernels.trade_off_kernel import weigh

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, simulations: pd.DataFrame) -> Iterator[Mapping[str, object]]:
    """Rows of `trade_offs`."""
    by_experiment = dict(iter(simulations.groupby("experiment")))
    for experiment in work.config.autoscaling:
        rows = by_experiment[experiment.name]
        yield from weigh(rows, experiment.most_minutes, work.config.seed)
