"""The run's answer in two sentences: which seeds succeed, and what holds of the paper's claims."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from algorithms.learning.calibration_facts import Bargain, bargain
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import MEASURED
from pipeline.experiments.learning.results.group_study import GroupStudy
from pipeline.experiments.learning.results.learning_study import Study
from pipeline.experiments.learning.sections import group_sections
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import Section
from schemas.tables.learning.learning_verdicts import LEAST_SEEDS, VERDICTS

_CALIBRATED = (
    "Best numbers of brokers follow from the calibration of the simulated cluster, which was "
    "chosen to agree with the paper's: agents can miss them, but not show that they are right."
)
_MEASURED = (
    "Latency is that of Kafka brokers with capped processors (docs/broker-curve-table.md), on "
    "another machine than the paper's."
)


def answer(studies: Sequence[Study], groups: Sequence[GroupStudy]) -> Section:
    """Of the first experiment on brokers, and the first on groups."""
    sentences, notes = [], []
    if studies:
        sentences += [_success(studies[0]), _claims(studies[0])]
        notes += _notes(studies[0])
    if groups:
        sentences.append(group_sections.answer(groups[0]))
    return Section("The answer", sentences, notes=notes)


def _success(study: Study) -> str:
    own = study.scores[study.scores["variant"] == study.setting["variants"][0]]
    setting = study.setting
    rewards = []
    for reward in setting["rewards"]:
        rows = own.loc[own["reward"] == reward]
        counts = [f"{row.successes} of {row.agent}" for row in rows.itertuples()]
        rewards.append(f"{numbers.listing(counts)} with reward {reward}")
    return (
        f"After {setting['episodes']} episodes of training, of {setting['seeds']} seeds each, "
        f"95 % of the optimum is reached by {numbers.listing(rewards)}."
    )


def _claims(study: Study) -> str:
    counted = study.verdicts["verdict"].value_counts()
    counts = [f"{counted[word]} {word}" for word in VERDICTS if word in counted]
    return f"Of {len(study.verdicts)} verdicts on the paper's claims, {numbers.listing(counts)}."


def _notes(study: Study) -> list[str]:
    notes = [_MEASURED if study.brokers.curve == MEASURED else _CALIBRATED]
    if "weighted" in study.setting["rewards"]:
        notes.append(weighing(study.brokers))
    if study.setting["seeds"] < LEAST_SEEDS:
        notes.append(f"Fewer than {LEAST_SEEDS} seeds were trained, so every verdict stays open.")
    return notes


def weighing(brokers: BrokerSettings) -> str:
    """What reward 3 pays for, from its exact optimum: it buys violations."""
    terms = bargain(brokers)
    limit = f"{brokers.slo_weighted_ms:g} ms"
    return (
        f"Reward weighted buys violations: an interval just over {limit} costs "
        f"{terms.violation:.4g}, and one broker less is worth {terms.broker:.4g}. Its best number "
        f"to stay at is {terms.best}, over {limit} in {100.0 * terms.over:.0f} % of "
        f"intervals{_bounds(terms)}."
    )


def _bounds(terms: Bargain) -> str:
    """When the optimum keeps its objective."""
    if not terms.limits_ms:
        return ""
    parts = [f"{_least(limit)} with {fewer} less" for fewer, limit in terms.limits_ms]
    return f"; the optimum keeps to it only if latency exceeds {numbers.listing(parts)}"


def _least(limit_ms: float) -> str:
    return f"{limit_ms:.0f} ms" if isfinite(limit_ms) else "any bound"
