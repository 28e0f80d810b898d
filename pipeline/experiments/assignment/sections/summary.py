"""Results of a run as tables for a terminal or a log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from schemas import metrics

if TYPE_CHECKING:
    import pandas as pd

    from pipeline.experiments.assignment.results.decision import Decision
    from pipeline.reporting.sections.published_section import PublishedSection
    from pipeline.warehouse.runs.run_results import Results

"""Width of a text that is not printed to a terminal."""


class Summary(NamedTuple):
    """A run's results, averaged over its streams, in the order of display."""

    scores: pd.DataFrame
    """``experiment, delta, algorithm, cbs, mean_rscore, mean_consumers``: means over replicates and
    start conditions; δ is NaN for recorded traces."""
    latency: pd.DataFrame
    """``experiment, delta, algorithm, mean_consumers, n_samples, n_positive`` (means over streams),
    ``share`` (of all samples, those above 0), ``p50, p90, p99, max`` (medians over streams, s; 0
    without delays)."""
    published: PublishedSection
    """The paper's values and this run's."""
    decisions: Sequence[Decision] = ()
    """What to run, for each experiment on recorded traces."""


KEYS = ["experiment", "delta", "algorithm"]
SCORED = [*metrics.gated("mean", metrics.METRICS)]
WAITED = ["mean_consumers", "n_samples", "n_positive", "share", "p50", "p90", "p99", "max"]


def summarise(results: Results) -> Summary:
    """Average a run's results as its report does."""
    from pipeline.experiments.assignment.results import decision
    from pipeline.reporting.sections import published_section

    experiments = list(dict.fromkeys([*results.experiments, *results["pareto"]["experiment"]]))
    return Summary(
        scores=_ordered(results["pareto"][KEYS + SCORED], experiments),
        latency=_ordered(_latency(results)[KEYS + WAITED], experiments),
        published=published_section.of_run(results),
        decisions=decision.decisions(results),
    )


def _latency(results: Results) -> pd.DataFrame:
    """One row per experiment, δ and algorithm."""
    import pandas as pd

    from pipeline.experiments.assignment.results import studies
    from pipeline.warehouse.runs.run_results import deltas

    parts = [
        studies.summarise(results.at(name, delta=delta)["latency"]).assign(
            experiment=name, delta=delta
        )
        for name in dict.fromkeys(results["latency"]["experiment"])
        for delta in deltas(results["latency"], name)
    ]
    return pd.concat(parts) if parts else results["latency"].reindex(columns=KEYS + WAITED)


def _ordered(rows: pd.DataFrame, experiments: list[str]) -> pd.DataFrame:
    """Rows by experiment as configured, δ, and algorithm as displayed everywhere."""
    from algorithms.assignment import registry

    places = [
        (
            experiments.index(name),
            -1.0 if math.isnan(delta) else delta,
            registry.sort_key(algorithm),
        )
        for name, delta, algorithm in rows[KEYS].itertuples(index=False)
    ]
    order = sorted(range(len(places)), key=places.__getitem__)
    return rows.iloc[order].astype({"delta": float}).reset_index(drop=True)
