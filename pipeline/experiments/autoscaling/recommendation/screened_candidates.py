"""Which of several hundred candidates are simulated in full: successive halving.

All are simulated on a quarter of the recording, at the load for which a constant group would have
to be sized. The best of each strategy are simulated on all of it, and the best of those at several
loads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from algorithms.autoscaling import registry
from pipeline.experiments.autoscaling.recommendation import candidate_outcomes
from pipeline.experiments.autoscaling.recommendation.candidate_outcomes import (
    Bench,
    CandidateOutcome,
    Count,
    Run,
)

_KEDA, _PROMETHEUS = "keda_hpa", "keda_prometheus"

PARTS = 16
"""Parts of a recording, of which a quarter is simulated first."""

_TAKEN = (2, 6, 10, 15)
"""Places of the taken parts by their greatest load: the busiest part is one of them."""

OF_EACH, OF_KEDA, OF_FORM = 1, 10, 4
"""Candidates of each strategy that are simulated in full; KEDA's, and forms behind KEDA, can be
deployed."""

BEST, BEST_OF_KEDA, BEST_OF_FORMS = 2, 3, 2
"""Candidates that are simulated at several loads: of all others, of KEDA, of forms behind it and as
many of its trigger for Prometheus."""

_TO_ZERO = ":min_replicas=0"

FEWEST = 12
"""With fewer candidates all are simulated in full."""

SHORT_S = 3_600.0
"""Shorter recordings are simulated whole."""


def quarter(bench: Bench) -> Bench:
    """A quarter of the recording, in order: parts of much, middling and little load."""
    n = len(bench.rates)
    size = n // (PARTS * bench.parts) * bench.parts
    if size == 0 or n * bench.settings["step_s"] < SHORT_S:
        return bench
    totals = bench.rates.sum(axis=1)[: size * PARTS].reshape(PARTS, size).max(axis=1)
    order = np.argsort(totals, kind="stable")
    parts = np.sort(order[list(_TAKEN)])
    rates = np.concatenate([bench.rates[part * size : (part + 1) * size] for part in parts])
    return bench._replace(rates=rates, edges=np.array([0, len(rates)]))


def screened(
    bench: Bench, runs: Sequence[Run], factor: float, allowed: float, count: Count
) -> list[Run]:
    """The candidates to simulate in full: the best of each strategy on a quarter.

    All are compared with the first kind of consumers, and KEDA's best, which can be deployed, with
    all kinds.

    factor: Load at which they are compared.
    allowed: Share of the events that may be late.
    """
    part = quarter(bench)
    if len(runs) <= FEWEST or part is bench:
        return list(runs)
    loaded = part.scaled(factor)
    first = [run for run in runs if run.consumers == runs[0].consumers]
    outcomes = candidate_outcomes.run_all(loaded, first, count)
    good = {run.candidate for run in _best_of_each(first, outcomes, allowed)}
    others = [
        run for run in runs if run.candidate in good and _is_keda(run) and run not in outcomes
    ]
    outcomes |= candidate_outcomes.run_all(loaded, others, count)
    return _best_of_each([run for run in outcomes if run.candidate in good], outcomes, allowed)


def _best_of_each(
    runs: Iterable[Run], outcomes: Mapping[Run, CandidateOutcome], allowed: float
) -> list[Run]:
    """The best candidates of each strategy."""
    return [
        run
        for name, of_name in by_strategy(runs).items()
        for run in best_first(of_name, outcomes, allowed)[: _most_of(name)]
    ]


def best_first(
    runs: Iterable[Run], outcomes: Mapping[Run, CandidateOutcome], allowed: float
) -> list[Run]:
    """Candidates by cost where they are in time, then by late events."""

    def place(run: Run) -> tuple[bool, float]:
        outcome = outcomes[run]
        is_late = outcome.late > allowed + 1e-9
        return is_late, outcome.late if is_late else float(outcome.totals.cost.sum())

    return sorted(runs, key=place)


def finalists(outcomes: Mapping[Run, CandidateOutcome], allowed: float) -> list[Run]:
    """The candidates to simulate at several loads."""
    named = by_strategy(outcomes)
    keda = best_first(named.pop(_KEDA, []), outcomes, allowed)[:BEST_OF_KEDA]
    # Simpler than forms with a scaler, so these must not crowd it out.
    prometheus = best_first(named.pop(_PROMETHEUS, []), outcomes, allowed)[:BEST_OF_FORMS]
    names = [name for name in named if _is_form(name)]
    # What saves more when idle must not crowd out what is in time when it wakes.
    forms = [
        run
        for is_to_zero in (False, True)
        for run in best_first(
            [
                run
                for name in names
                if name.endswith(_TO_ZERO) == is_to_zero
                for run in named.pop(name)
            ],
            outcomes,
            allowed,
        )[:BEST_OF_FORMS]
    ]
    others = best_first([run for runs in named.values() for run in runs], outcomes, allowed)
    return [*keda, *prometheus, *forms, *others[:BEST]]


def _most_of(name: str) -> int:
    """Candidates of a strategy that are simulated in full."""
    if name == _KEDA:
        return OF_KEDA
    return OF_FORM if _is_form(name) else OF_EACH


def _is_form(name: str) -> bool:
    """Whether a strategy runs behind KEDA, and so can be deployed."""
    return registry.is_synced(registry.name_of(name))


def by_strategy(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Candidates by the name of their strategy; forms that are scaled to zero on their own."""
    named: dict[str, list[Run]] = {}
    for run in runs:
        name = run.candidate.strategy
        if registry.inner_of(name) and run.candidate.settings.get("min_replicas") == 0:
            name += _TO_ZERO
        named.setdefault(name, []).append(run)
    return named


def _is_keda(run: Run) -> bool:
    return run.candidate.strategy == _KEDA or _is_form(run.candidate.strategy)
