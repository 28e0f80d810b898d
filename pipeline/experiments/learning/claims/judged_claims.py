"""Verdicts on a paper's claims from trainings, and which variants agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

import pandas as pd

from algorithms.inference.claim_shares import exact_share, word_of
from algorithms.learning import sensitivity
from algorithms.learning.calibration_facts import share_over
from algorithms.learning.claim_verdicts import claims
from algorithms.learning.learning_claim import ALL, BOTH, Claim, lacking
from algorithms.learning.learning_names import REWARDS
from algorithms.learning.normalization_claim import normalization
from algorithms.learning.printed_settings import departures
from pipeline.experiments.learning.claims import claim_reading, claim_rows
from pipeline.experiments.learning.claims.claim_rows import Row
from pipeline.experiments.learning.claims.stored_trainings import StoredTrainings
from pipeline.experiments.learning.claims.trained_variants import Place, TrainedVariants, declared
from pipeline.experiments.learning.published import CLAIMS
from pipeline.settings.learning_experiment import BASE, LearningExperiment, Settings
from schemas.verdicts import BY_CONSTRUCTION

LEAST_SEEDS = 10
"""Seeds that a variant needs to count in the sensitivity table."""

NEAR_ZERO = 0.5
"""Share of its weight before training that an input keeps at most if the weight nears zero."""

_REWARDS_OF: Mapping[str, tuple[str, ...]] = {
    **{f"R{number}": (reward,) for number, reward in enumerate(REWARDS, 1)},
    "R4": ("weighted",),
}
"""Rewards that a claim is about; those that are not named are about all."""

Key = tuple[str, str, str]


class Tables(NamedTuple):
    """What a run has stored, and its root seed."""

    trainings: StoredTrainings
    evaluations: pd.DataFrame
    policies: pd.DataFrame
    root: int


def rows(experiments: Iterable[LearningExperiment], tables: Tables) -> Iterator[Row]:
    """Rows of `learning_verdicts`, without ``run_id``, of experiments with variant ``base``."""
    every = [one for one in experiments if not one.scales_group]
    trained = TrainedVariants(every)
    for one in every:
        if BASE in one.variants:
            yield from _rows(one, trained, tables)


def _rows(one: LearningExperiment, trained: TrainedVariants, tables: Tables) -> Iterator[Row]:
    here, base = Place(one, BASE), one.settings(BASE)
    own = [*_of_place(here, tables), *_normalized(here, base, trained, tables, 1)]
    variants = {name: _at(each, trained, tables) for name, each in declared(base).items()}
    for claim in own:
        key = _key(claim)
        beside = {name: found[key] for name, found in variants.items() if key in found}
        reading = claim_reading.sentence(claim, base)
        yield claim_rows.row(one.name, claim, beside, variants.keys(), reading)
    yield _one_set(one, tables.policies)
    yield _reasonable(one, base)
    yield claim_rows.blank(one.name, "R11")
    judged = {*(claim.id for claim in own), "R6", "R10", "R11"}
    for id in (id for id in CLAIMS if id not in judged):
        yield claim_rows.blank(one.name, id) | {"note": _absent(one, id)}


def _key(claim: Claim) -> Key:
    return claim.id, claim.agent, claim.reward


def _at(settings: Settings, trained: TrainedVariants, tables: Tables) -> dict[Key, Claim]:
    """Claims with the settings of a variant, each from where it has most seeds."""
    places = trained.at(settings, LEAST_SEEDS)
    found = [claim for place in places for claim in _of_place(place, tables)]
    if places:
        found += _normalized(places[-1], settings, trained, tables, LEAST_SEEDS)
    return {_key(claim): claim for claim in found if not claim.lacks}


def _of_place(place: Place, tables: Tables) -> Iterator[Claim]:
    """All claims that trainings with the same settings say something about."""
    settings = place.experiment.settings(place.variant)
    yield from claims(tables.trainings.of(place), *settings, tables.root)
    yield from _insignificant(place, settings, tables.evaluations)


def _normalized(
    scaled: Place, settings: Settings, trained: TrainedVariants, tables: Tables, least: int
) -> tuple[Claim, ...]:
    """R9, where raw metrics were trained with otherwise the same settings."""
    raw = Settings(*sensitivity.settings_of(sensitivity.RAW, *settings))
    places = [] if raw == settings else trained.at(raw, least)
    if not places:
        return ()
    of_scaled, of_raw = (tables.trainings.of(place) for place in (scaled, places[-1]))
    return normalization(of_scaled, of_raw, *settings, tables.root)


def _insignificant(place: Place, settings: Settings, evaluations: pd.DataFrame) -> Iterator[Claim]:
    """R8, from weights and decisions of stored policies; nothing if every input decides."""
    one = place.experiment
    own = evaluations[
        (evaluations["experiment"] == one.name)
        & (evaluations["variant"] == place.variant)
        & evaluations["policy"].isin(one.agents)
    ]
    left = own.groupby("seed")["idle_weight"].mean().dropna()
    if left.empty:
        return
    share, low, high = exact_share(int((left <= NEAR_ZERO).sum()), len(left))
    measure = f"share of seeds that keep at most {NEAR_ZERO:g}; mean {left.mean():.2f}"
    says = word_of(low, high)
    lacks = lacking(product(one.agents, one.rewards))
    departs = departures(*settings)
    yield Claim("R8", BOTH, ALL, measure, share, low, high, says, len(left), lacks, departs)


def _one_set(one: LearningExperiment, policies: pd.DataFrame) -> Row:
    """R6: whether all stored policies were trained with the same settings."""
    row = claim_rows.blank(one.name, "R6")
    own = policies[(policies["experiment"] == one.name) & (policies["variant"] == BASE)]
    notes = (row["note"], *claim_rows.untrained(lacking(product(one.agents, one.rewards))))
    return row | {
        "verdict": BY_CONSTRUCTION,
        "measure": "sets of settings in all trainings",
        "seeds": one.seeds,
        "value": float(own["settings"].nunique()),
        "note": " ".join(notes),
    }


def _reasonable(one: LearningExperiment, base: Settings) -> Row:
    """R10, in closed form: how often the most brokers are over the objective while they stay."""
    row, brokers = claim_rows.blank(one.name, "R10"), base.brokers
    limit, most = brokers.slo_violations_ms, brokers.max_brokers
    return row | {
        "verdict": BY_CONSTRUCTION,
        "measure": f"% of intervals over {limit:g} ms with {most} brokers throughout, exact",
        "value": 100.0 * share_over(brokers, most, limit),
    }


def _absent(one: LearningExperiment, id: str) -> str:
    """Why a claim has no value."""
    lacks = lacking(product(one.agents, one.rewards), rewards=_REWARDS_OF.get(id, REWARDS))
    if lacks:
        return f"Not tested: {', '.join(lacks)} {'was' if len(lacks) == 1 else 'were'} not trained."
    if id == "R9":
        return "Not tested: no experiment has the same settings with raw metrics."
    return "Not tested: every input decides."
