"""Evidence on a paper's claims from trainings, and which variants agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from algorithms.learning.learning_claim import Claim, lacking
from algorithms.learning.learning_names import REWARDS
from pipeline.experiments.learning.claims import claim_reading, claim_rows
from pipeline.experiments.learning.claims.claim_measures import Tables, Trained
from pipeline.experiments.learning.claims.claim_rows import Row
from pipeline.experiments.learning.claims.trained_variants import Place, TrainedVariants, declared
from pipeline.experiments.learning.published import CLAIMS
from pipeline.settings.learning_experiment import BASE, LearningExperiment, Settings

LEAST_SEEDS = 10
"""Seeds that a variant needs to count in the sensitivity table."""

_REWARDS_OF: Mapping[str, tuple[str, ...]] = {
    **{f"R{number}": (reward,) for number, reward in enumerate(REWARDS, 1)},
    "R4": ("weighted",),
}
"""Rewards that a claim is about; those that are not named are about all."""

Key = tuple[str, str, str]


def rows(experiments: Iterable[LearningExperiment], tables: Tables) -> Iterator[Row]:
    """Evidence of experiments with variant ``base``, in the order of the claims.

    Rows of `learning_verdicts`, without ``run_id``. Their verdict is that of the claim's own rule.
    """
    every = [one for one in experiments if not one.scales_group]
    trained = TrainedVariants(every)
    order = list(CLAIMS)
    for one in every:
        if BASE in one.variants:
            yield from sorted(_rows(one, trained, tables), key=lambda r: order.index(r["claim"]))


def _rows(one: LearningExperiment, variants: TrainedVariants, tables: Tables) -> Iterator[Row]:
    base = one.settings(BASE)
    own = _claims(Trained(Place(one, BASE), variants, tables, 1))
    beside = {name: _at(each, variants, tables) for name, each in declared(base).items()}
    for claim in own:
        if CLAIMS[claim.id].by_construction:
            yield claim_rows.constructed(one.name, claim)
            continue
        same = {
            name: by_key[_key(claim)] for name, by_key in beside.items() if _key(claim) in by_key
        }
        reading = claim_reading.sentence(claim, base)
        yield claim_rows.row(one.name, claim, same, beside.keys(), reading)
    judged = {claim.id for claim in own}
    for id, published in CLAIMS.items():
        if id not in judged:
            note = _absent(one, id) if published.measure else published.note
            yield claim_rows.blank(one.name, id, note)


def _key(claim: Claim) -> Key:
    return claim.id, claim.agent, claim.reward


def _claims(one: Trained) -> list[Claim]:
    """All claims that a trained variant says something about."""
    measures = dict.fromkeys(claim.measure for claim in CLAIMS.values() if claim.measure)
    return [claim for measure in measures for claim in measure(one)]


def _at(settings: Settings, variants: TrainedVariants, tables: Tables) -> dict[Key, Claim]:
    """Claims with the settings of a variant, each from where it has most seeds."""
    places = variants.at(settings, LEAST_SEEDS)
    all_claims = [
        c for place in places for c in _claims(Trained(place, variants, tables, LEAST_SEEDS))
    ]
    return {_key(claim): claim for claim in all_claims if not claim.lacks}


def _absent(one: LearningExperiment, id: str) -> str:
    """Why a claim has no value."""
    if id == "R10":
        return "Not tested: latency was measured on another cluster."
    rewards = _REWARDS_OF.get(id, REWARDS)
    lacks = lacking(((a, r) for a in one.agents for r in one.rewards), rewards=rewards)
    if lacks:
        return f"Not tested: {', '.join(lacks)} {'was' if len(lacks) == 1 else 'were'} not trained."
    if id == "R9":
        return "Not tested: no experiment has the same settings with raw metrics."
    return "Not tested: every input decides."
