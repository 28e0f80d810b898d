"""The run's answer in two sentences: how policies and executors did, and if it was foreseen."""

from __future__ import annotations

from collections.abc import Sequence

from live.pulsar.function_settings import AT_MOST_ONCE
from pipeline.experiments.pulsar.results.pulsar_study import Study
from pipeline.reporting.sections import lost_bound, numbers
from pipeline.reporting.sections.section import Section
from schemas.tables.pulsar.pulsar_changes import NONE


def answer(studies: Sequence[Study]) -> Section:
    """Of the first experiment; agreement, losses and repeats of all."""
    first = studies[0]
    opening = _gaps(first) if first.setting["resizings"] else _best(first)
    return Section("The answer", [opening, _agreement(studies)], notes=_notes(studies))


def _best(study: Study) -> str:
    runs = study.runs.dropna(subset=["mean_s"])
    if runs.empty:
        return "No event came out of the application on Pulsar."
    means = runs.groupby(["policy", "executor"])[["mean_s", "mean_instances"]].mean()
    policy, executor = means["mean_s"].idxmin()
    best = means.loc[(policy, executor)]
    return (
        f"Of {len(means)} pairs of policy and executor on Pulsar, {policy} ({executor}) has the "
        f"lowest mean response: {numbers.seconds(float(best['mean_s']))} with "
        f"{numbers.fixed(float(best['mean_instances']), 1)} instances on average."
    )


def _gaps(study: Study) -> str:
    parts = []
    for executor, rows in study.changes.groupby("executor", sort=False):
        still = rows["kind"] == NONE
        changed, without = (float(rows.loc[which, "gap_s"].mean()) for which in (~still, still))
        parts.append(
            f"with the {executor} executor {numbers.seconds(changed)} instead of "
            f"{numbers.seconds(without)}"
        )
    return f"At a change of instances, the output pauses {'; '.join(parts)} on average."


def _agreement(studies: Sequence[Study]) -> str:
    agreeing, judged = (sum(pair) for pair in zip(*(s.agreeing for s in studies), strict=True))
    if not judged and all(study.setting["resizings"] for study in studies):
        return "Nothing was simulated: changes were made at set times."
    if not judged:
        return "No interval of constant load has responses both on Pulsar and simulated."
    return (
        f"In {agreeing} of {judged} intervals of constant load, the mean response is within 50 ms "
        "and 5 % of the simulated one."
    )


def _losses(studies: Sequence[Study]) -> str:
    """What changes cost functions that process at most once: events per change."""
    sentences = ["Losses of functions that process at most once are reported, not judged."]
    for study in studies:
        parts = [
            f"{numbers.fixed(float(rows['lost'].mean()), 2)} with the {executor} executor "
            f"({'no change' if kind == NONE else kind})"
            for (executor, kind), rows in study.changes.groupby(["executor", "kind"], sort=False)
        ]
        if parts:
            sentences.append(f"Events lost per change in {study.name}: {', '.join(parts)}.")
    return " ".join(sentences)


def _notes(studies: Sequence[Study]) -> list[str]:
    stored, lost, repeated, late = (
        sum(int(study.runs[name].sum()) for study in studies)
        for name in ("acknowledged", "lost", "repeated", "late_sends")
    )
    bound = f" {lost_bound.words(lost, stored)}" if stored and not lost else ""
    lossy, kept = (
        [one for one in studies if (one.setting["guarantee"] == AT_MOST_ONCE) is which]
        for which in (True, False)
    )
    waiting = sum(int((~study.runs["drained"].astype(bool)).sum()) for study in kept)
    changes = sum(int((study.changes["kind"] != NONE).sum()) for study in studies)
    notes = [
        f"Of {stored:,} events that Pulsar stored, {lost:,} were lost{bound} and {repeated:,} came "
        f"out again, over {changes:,} changes of instances."
    ]
    notes += [_losses(lossy)] if lossy else []
    if waiting:
        notes.append(
            f"{waiting} runs were not drained: events that count as lost may have been on the way."
        )
    if late:
        notes.append(f"{late:,} events were published more than 100 ms late.")
    notes.append(
        "Pulsar, its functions and the load share this machine; its load is part of what is "
        "measured."
    )
    return notes
