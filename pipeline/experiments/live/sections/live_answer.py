"""The run's answer in two sentences: which strategy has the lowest latency, and who foresaw it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pipeline.experiments.live.results.consumer_deaths import ANSWERED_S
from pipeline.experiments.live.results.live_study import MeasuredStrategy, Study
from pipeline.reporting.sections import lost_bound, numbers
from pipeline.reporting.sections.section import Section


def answer(studies: Sequence[Study]) -> Section:
    """Of the first experiment, and what the others add to the agreement."""
    first = studies[0]
    sentences = [_lowest(first), _agreement(studies)]
    return Section("The answer", sentences, notes=_notes(studies))


def _lowest(study: Study) -> str:
    ranked = study.ranked
    best, others = ranked[0], ranked[1:]
    among = f"Of {len(ranked)} strategies on the broker, " if others else "On the broker, "
    verb = "has the lowest 90th percentile of latency" if others else "has this latency"
    sentence = f"{among}{best.strategy} {verb}: {_cost(best)}"
    against = next((one for one in others if one.is_fixed != best.is_fixed), None)
    against = against or (others[0] if others else None)
    if against is None:
        return f"{sentence}."
    kind = "the best fixed group" if against.is_fixed and not best.is_fixed else "next"
    return f"{sentence}; {kind}, {against.strategy}, has {_cost(against)}."


def _cost(one: MeasuredStrategy) -> str:
    wait = "no records" if math.isinf(one.p90) else numbers.seconds(one.p90)
    return f"{wait} with {numbers.fixed(one.consumers, 1)} consumers on average"


def _agreement(studies: Sequence[Study]) -> str:
    model, replay = (_total(studies, which) for which in ("a", "b"))
    counts = _total(studies, "a", ("consumers", "migrations", "other_owners"))
    sentence = (
        f"Of {replay[1]} percentiles of latency, {replay[0]} agree with a replay of the queues "
        f"and {model[0]} with the latency model on simulated assignments"
    )
    if not counts[1]:
        return f"{sentence}."
    if counts[0] == counts[1]:
        return f"{sentence}; consumers, migrations and owners are exactly the simulated ones."
    return (
        f"{sentence}; so do {counts[0]} of {counts[1]} numbers of consumers, migrations and other "
        "owners."
    )


def _total(
    studies: Sequence[Study], which: str, quantities: Sequence[str] | None = None
) -> tuple[int, int]:
    counts = [
        study.agreed(which) if quantities is None else study.agreed(which, quantities)
        for study in studies
    ]
    return sum(one.agreeing for one in counts), sum(one.of for one in counts)


def _notes(studies: Sequence[Study]) -> list[str]:
    records, damaged = (
        sum(getattr(study, name) for study in studies) for name in ("records", "damaged")
    )
    unread = [study.unread for study in studies if study.unread]
    notes = unread if unread and not damaged else [_integrity(records, damaged), *unread]
    for study in studies:
        if math.isfinite(study.tau):
            where = f" in {study.name}" if len(studies) > 1 else ""
            notes.append(
                f"Kendall's τ of the rankings by the 90th percentile, on the broker and by the "
                f"latency model{where}: {study.tau:.2f}."
            )
    if deaths := [seconds for study in studies for seconds in study.deaths]:
        notes.append(_deaths(deaths))
    faults = sum(int(study.runs["faults"].sum()) for study in studies)
    if faults:
        notes.append(f"There were {faults:,} faults; see the journals of the runs.")
    notes.append(
        "Brokers, producer and consumers share this machine; its load is part of what is measured."
    )
    return notes


def _integrity(records: int, damaged: int) -> str:
    """How many records were not processed once and in order, and how many that may be in all."""
    # What happens to a record twice counts twice.
    bound = lost_bound.words(min(damaged, records), records)
    return f"{damaged:,} of {records:,} records were lost, repeated or out of order {bound}."


def _deaths(seconds: Sequence[float]) -> str:
    """How many times partitions of a consumer that died were started elsewhere in time."""
    in_time = sum(answered < ANSWERED_S for answered in seconds)
    within = f"within {ANSWERED_S:g}{numbers.SPACE}s"
    return f"Deaths of consumers that were answered {within}: {in_time} of {len(seconds)}."
