"""What is written about experiments in which brokers join and leave by decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pipeline.experiments.brokers.results.deciding_study import Course, DecidingStudy
from pipeline.experiments.brokers.sections.figures import episodes_figure
from pipeline.experiments.brokers.sections.figures.episodes_figure import CLUSTERS
from pipeline.reporting.sections.section import Experiment, Row, Section, Table, number, text
from schemas.tables.brokers.broker_episodes import KAFKA, ROWS

ILLUSTRATION = (
    "There is one agent of each kind and reward, with one seed: an illustration, from which no "
    "verdict follows."
)

_ROWS_MISSING = (
    "There are no measured rows of this load and these numbers of brokers: agents are shown on the "
    "cluster alone."
)


def experiment(study: DecidingStudy) -> Experiment:
    """The sections of an experiment."""
    drawn = Section(charts=episodes_figure.figures(study))
    return Experiment(study.name, study.words, [_courses(study), drawn, _latencies(study)])


def answer(studies: Sequence[DecidingStudy]) -> list[str]:
    """What the decisions came to, a paragraph for each experiment, and what follows from them."""
    return [*map(_counted, studies), ILLUSTRATION] if studies else []


def _counted(study: DecidingStudy) -> str:
    live = study.decisions[study.decisions["cluster"] == KAFKA]
    changes = int((live["after"] != live["before"]).sum())
    refused = int(live["refusal"].notna().sum())
    return (
        f"{len(live):,} decisions on Kafka brokers were made in experiment {study.name}; brokers "
        f"changed after {changes:,}, and {refused:,} kept them because the metrics were no input."
    )


_COURSES = (
    text("reward", "reward", terminal=True),
    text("on", "on", terminal=True),
    text("phase", "phase"),
    text("episodes", "episodes", terminal=True),
    number("return, first", "first", 2, metric="broker_return_first"),
    number("last", "last", 2, terminal=True, metric="broker_return_last"),
    text("brokers at the end", "brokers", terminal=True, metric="broker_count_last"),
    number("over %", "over", 0, 100.0, metric="broker_over_share"),
    text("changes", "changes"),
    text("refused", "refused", terminal=True, metric="broker_refusals"),
    number("scaling s", "scaling_s", 1),
    number("interval s", "seconds", 1),
)


def _courses(study: DecidingStudy) -> Section:
    """Each decider with each reward, on measured rows and on Kafka brokers."""
    courses = list(study.courses())
    rows = [Row(one.decider, _summary(one), "/".join((study.name, *one[:4]))) for one in courses]
    notes = [
        ILLUSTRATION,
        "Return: sum of rewards by end-to-end latency, in the first and the last episode. Over: "
        "intervals of the last episode whose 95th percentile exceeds the reward's objective. "
        "Refused: decisions that kept the brokers because a metric was missing, or, for agents "
        "that only act, outside its range in the measured rows.",
        "An interval that is longer than planned ends with the broker that joins or leaves in it.",
    ]
    if not any(one.cluster == ROWS for one in courses):
        notes.append(_ROWS_MISSING)
    return Section("Decisions", tables=[Table("", "Decider", _COURSES, rows)], notes=notes)


def _summary(course: Course) -> dict[str, Any]:
    own, episodes = course.decisions, course.episodes
    return {
        "reward": course.reward,
        "on": CLUSTERS[course.cluster],
        "phase": course.phase,
        "episodes": len(episodes),
        "first": float(episodes[0]["reward_value"].sum()),
        "last": float(episodes[-1]["reward_value"].sum()),
        "brokers": int(episodes[-1]["after"].iloc[-1]),
        "over": course.over(episodes[-1]),
        "changes": int((own["after"] != own["before"]).sum()),
        "refused": int(own["refusal"].notna().sum()),
        "scaling_s": float(own["scaling_s"].astype(float).mean()),
        "seconds": float(own["seconds"].astype(float).mean()),
    }


_LATENCIES = (
    text("reward", "reward"),
    number("end to end", "end_to_end_ms", 1),
    number("produce", "produce_ms", 1),
    number("sum", "summed_ms", 1),
    number("busy", "summed_busy_ms", 1),
)


def _latencies(study: DecidingStudy) -> Section:
    """Latency three ways, on Kafka brokers: medians over intervals."""
    rows = [
        Row(
            one.decider,
            {"reward": one.reward}
            | {
                field.key: float(one.decisions[field.key].astype(float).median())
                for field in _LATENCIES[1:]
            },
            detail=True,
        )
        for one in study.courses()
        if one.cluster == KAFKA
    ]
    note = (
        "Medians over intervals of 95th percentiles, ms. Rewards use end to end, from due to read. "
        "Produce is the total time of produce requests; the paper's sum adds that of consumers' "
        "fetch requests, busy without their wait for records, which at a light load is idleness."
    )
    table = Table("", "Decider", _LATENCIES, rows)
    return Section("Latency on Kafka brokers, three ways", tables=[table], notes=[note])
