"""Claim R9: layer normalization makes the raw metrics comparable."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.inference.claim_shares import NOT_REPRODUCED, OPEN, REPRODUCED, exact_share, word_of
from algorithms.inference.intervals import mean_interval
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.claim_verdicts import Finals, final_scores
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_claim import ALL, BOTH, Claim, Runs, lacking
from algorithms.learning.learning_names import AGENTS, REWARDS
from algorithms.learning.printed_settings import departures
from algorithms.learning.success_verdicts import MARGIN, SUCCESS

DIFFERENCE = "difference in score, raw - scaled"
SHARE = "share of seeds that succeed, raw"


def normalization(
    scaled: Runs, raw: Runs, brokers: BrokerSettings, settings: AgentSettings, root: int
) -> tuple[Claim, ...]:
    """R9 by reward, and for all rewards together, as far as runs of both kinds are there.

    Metrics that normalization makes comparable need no ranges. By reward, the difference in final
    scores, raw - scaled, is paired by seed, a mean over agents, with an interval over seeds: *not
    reproduced* if the whole interval is below -`MARGIN`, *reproduced* if it is above and scaled
    metrics succeed. Where both fail alike, that says nothing about normalization, and the claim
    stays open. For all rewards together it is the share of seeds that succeed on raw metrics,
    which likewise says something only if they succeed on scaled ones.

    scaled, raw: Trainings by (agent, reward) on metrics that are divided by their ranges first, or
        not. The first seeds of the longer ones are used.
    root: Root seed of the trainings.
    """
    pairs = scaled.keys() & raw.keys()
    if not pairs:
        return ()
    of_scaled, of_raw = (final_scores(runs, brokers, settings, root) for runs in (scaled, raw))
    seeds = min(one.size for found in (of_scaled, of_raw) for one in found.values())
    first, second = ({pair: found[pair][:seeds] for pair in pairs} for found in (of_scaled, of_raw))
    departs = departures(brokers, settings)
    found = (*_by_reward(first, second, root), _together(first, second))
    return tuple(claim._replace(departs=departs) for claim in found)


def _by_reward(scaled: Finals, raw: Finals, root: int) -> Iterator[Claim]:
    for reward in REWARDS:
        pairs = [(agent, reward) for agent in AGENTS if (agent, reward) in raw]
        if not pairs:
            continue
        apart = np.mean([raw[pair] - scaled[pair] for pair in pairs], axis=0)
        interval = mean_interval(apart, seed=derive_seed(root, "claim", "R9", reward))
        succeeds = _succeeds({pair: scaled[pair] for pair in pairs})
        says = OPEN
        if interval.high < -MARGIN:
            says = NOT_REPRODUCED
        elif interval.low > -MARGIN and succeeds == REPRODUCED:
            says = REPRODUCED
        lacks = lacking(pairs, rewards=[reward])
        yield Claim("R9", BOTH, reward, DIFFERENCE, *interval, says, apart.size, lacks)


def _together(scaled: Finals, raw: Finals) -> Claim:
    share, low, high = _share(raw)
    says = word_of(low, high) if _succeeds(scaled) == REPRODUCED else OPEN
    seeds = len(next(iter(raw.values())))
    return Claim("R9", BOTH, ALL, SHARE, share, low, high, says, seeds, lacking(raw))


def _succeeds(final: Finals) -> str:
    _, low, high = _share(final)
    return word_of(low, high)


def _share(final: Finals) -> tuple[float, float, float]:
    """Share of seeds that succeed in all of these runs, with its exact interval."""
    worst: Floats = np.stack(list(final.values())).min(axis=0)
    return exact_share(int((worst >= SUCCESS).sum()), worst.size)
