"""The run's answer: moves against the least, loss with its bound, and pauses of producers."""

from __future__ import annotations

from collections.abc import Sequence

from live.brokers.elastic_choices import LEAST
from pipeline.experiments.brokers.results.broker_study import Study
from pipeline.experiments.brokers.sections import compared_plans
from pipeline.reporting.sections import lost_bound, numbers
from pipeline.reporting.sections.section import Section
from schemas.tables.brokers.broker_columns import IDEMPOTENT, PLAIN
from schemas.tables.brokers.broker_pauses import MOVING, STILL
from schemas.tables.brokers.broker_scalings import CANCELLED, UNDONE

_UNFINISHED = {
    CANCELLED: "cancelled while partitions moved",
    UNDONE: "undone: the broker that joined was taken out again, since its disk stayed full",
}


def answer(studies: Sequence[Study]) -> Section:
    """Of all experiments together; pauses of the first."""
    sentences = [_moves(studies), _loss(studies), *compared_plans.answer(studies)]
    return Section("The answer", sentences, notes=_notes(studies))


def _moves(studies: Sequence[Study]) -> str:
    """Of least plans, else of the first; of others, `compared_plans` says what they copy."""
    least = [one.scalings for one in studies if one.planner == LEAST]
    own = least or [studies[0].scalings]
    scalings, moves, bound = (
        sum(values)
        for values in zip(
            *((len(one), one["moves"].sum(), one["bound"].sum()) for one in own), strict=True
        )
    )
    which = ""
    if len(own) < len(studies):
        which = " by the least plan" if least else f" of experiment {studies[0].name}"
    return (
        f"In {scalings:,} scalings{which}, {moves:,} replicas were to move; no plans with the same "
        f"balance need fewer than {bound:,}."
    )


def _loss(studies: Sequence[Study]) -> str:
    lost, acknowledged = (
        sum(int(one.runs[name].sum()) for one in studies) for name in ("lost", "acknowledged")
    )
    has_faults = any(one.scalings["fault"].notna().any() for one in studies)
    verdict = "" if lost else "No loss at process crash: " if has_faults else "No loss: "
    return (
        f"{verdict}{lost:,} of {acknowledged:,} acknowledged records were lost "
        f"{lost_bound.words(lost, acknowledged)}."
    )


def _notes(studies: Sequence[Study]) -> list[str]:
    notes = [_waits(studies[0], len(studies) > 1)]
    for kind in (PLAIN, IDEMPOTENT):
        repeated, disordered = (
            sum(int(one.runs.loc[one.runs["producers"] == kind, name].sum()) for one in studies)
            for name in ("repeated", "disordered")
        )
        notes.append(
            f"Of {kind} producers, {repeated:,} records came again and {disordered:,} out of order."
        )
    if not all(one.runs["drained"].all() for one in studies):
        notes.append(
            "Readers did not come to the last records in time: records that count as lost may have "
            "been on the way."
        )
    late = sum(int(one.runs["late_sends"].max()) for one in studies)
    if late:
        notes.append(
            f"{late:,} records were sent more than 100 ms late: this machine was busy, and waits "
            "are too long."
        )
    faults = sum(int(one.scalings["fault"].notna().sum()) for one in studies)
    if faults:
        notes.append(f"{faults} scalings had a fault while partitions moved.")
    for outcome, words in _UNFINISHED.items():
        count = sum(int((one.scalings["outcome"] == outcome).sum()) for one in studies)
        if count:
            notes.append(f"{count} scalings were {words}.")
    leaderless = sum(int(one.scalings["leaderless"].sum()) for one in studies)
    if leaderless:
        notes.append(f"{leaderless} partitions had no leader after a scaling.")
    notes.append(
        "Brokers and load share this machine: processes that start slow down producers as well as "
        "moves do."
    )
    return notes


def _waits(study: Study, is_one_of_many: bool) -> str:
    parts = []
    for period, words in ((MOVING, "while partitions move"), (STILL, "without a change")):
        rows = study.pauses[study.pauses["period"] == period]
        median, high = (
            float(rows[name].dropna().astype(float).median())
            for name in ("wait_p50_s", "wait_p99_s")
        )
        parts.append(f"{numbers.seconds(median)} (99 %: {numbers.seconds(high)}) {words}")
    where = f" in experiment {study.name}" if is_one_of_many else ""
    return (
        f"Producers wait{where} for an acknowledgement for {' and '.join(parts)}, median over "
        "windows."
    )
