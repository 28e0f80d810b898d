"""What trainings of a variant say of the paper's claims."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import NamedTuple

import pandas as pd

from algorithms.inference.claim_shares import REPRODUCED, exact_share, word_of
from algorithms.learning import sensitivity
from algorithms.learning.calibration_facts import share_over
from algorithms.learning.claim_verdicts import claims
from algorithms.learning.learning_claim import ALL, BOTH, Claim, lacking
from algorithms.learning.learning_names import MEASURED
from algorithms.learning.normalization_claim import normalization
from algorithms.learning.printed_settings import departures
from pipeline.experiments.learning.claims.stored_trainings import StoredTrainings
from pipeline.experiments.learning.claims.trained_variants import Place, TrainedVariants
from pipeline.settings.learning_experiment import Settings

NEAR_ZERO = 0.5
"""Share of its weight before training that an input keeps at most if the weight nears zero."""


class Tables(NamedTuple):
    """What a run has stored, and its root seed."""

    trainings: StoredTrainings
    evaluations: pd.DataFrame
    policies: pd.DataFrame
    root: int


class Trained(NamedTuple):
    """A variant that was trained, and what else is there to compare it with."""

    place: Place
    variants: TrainedVariants
    tables: Tables
    least_seeds: int
    """Seeds that a variant needs to be compared with."""

    @property
    def settings(self) -> Settings:
        """What was trained."""
        return self.place.experiment.settings(self.place.variant)

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """Its rows of a table."""
        is_own = table["experiment"] == self.place.experiment.name
        return table[is_own & (table["variant"] == self.place.variant)]

    @property
    def lacks(self) -> tuple[str, ...]:
        """Agents with rewards that were not trained."""
        return lacking(product(self.place.experiment.agents, self.place.experiment.rewards))


Measure = Callable[[Trained], Iterable[Claim]]


def trained(one: Trained) -> Iterable[Claim]:
    """R1 to R5 and R7, from returns."""
    return claims(one.tables.trainings.of(one.place), *one.settings, one.tables.root)


def insignificant(one: Trained) -> Iterator[Claim]:
    """R8, from weights and decisions of stored policies; nothing if every input decides."""
    own = one.rows(one.tables.evaluations)
    own = own[own["policy"].isin(one.place.experiment.agents)]
    left = own.groupby("seed")["idle_weight"].mean().dropna()
    if left.empty:
        return
    share, low, high = exact_share(int((left <= NEAR_ZERO).sum()), len(left))
    measure = f"share of seeds that keep at most {NEAR_ZERO:g}; mean {left.mean():.2f}"
    says, departs = word_of(low, high), departures(*one.settings)
    yield Claim("R8", BOTH, ALL, measure, share, low, high, says, len(left), one.lacks, departs)


def normalized(one: Trained) -> Iterable[Claim]:
    """R9, where raw metrics were trained with otherwise the same settings."""
    raw = Settings(*sensitivity.settings_of(sensitivity.RAW, *one.settings))
    places = [] if raw == one.settings else one.variants.at(raw, one.least_seeds)
    if not places:
        return ()
    of_scaled, of_raw = (one.tables.trainings.of(place) for place in (one.place, places[-1]))
    return normalization(of_scaled, of_raw, *one.settings, one.tables.root)


def one_set(one: Trained) -> Iterator[Claim]:
    """R6: whether all stored policies were trained with the same settings."""
    sets = one.rows(one.tables.policies)["settings"].nunique()
    yield _constructed(
        "R6", "sets of settings in all trainings", float(sets), one.place.experiment.seeds
    )._replace(lacks=one.lacks)


def reasonable(one: Trained) -> Iterator[Claim]:
    """R10, in closed form: how often the most brokers are over the objective while they stay.

    Nothing on measured latency, which is not calibrated to it.
    """
    brokers = one.settings.brokers
    if brokers.curve == MEASURED:
        return
    limit, most = brokers.slo_violations_ms, brokers.max_brokers
    measure = f"% of intervals over {limit:g} ms with {most} brokers throughout, exact"
    yield _constructed("R10", measure, 100.0 * share_over(brokers, most, limit), 0)


def _constructed(id: str, measure: str, value: float, seeds: int) -> Claim:
    """A claim that holds by construction, whatever the value."""
    return Claim(id, "", "", measure, value, math.nan, math.nan, REPRODUCED, seeds)
