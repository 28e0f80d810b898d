"""What Giannakopoulos and Kalogeraki claim about brokers that join and leave.

With acks=all nothing is lost, and plans move as few partitions as possible, unlike those of Kafka's
own tool. The claim on loss is judged over many scalings and records; a small run says nothing
about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from algorithms.core.arrays import Floats
from algorithms.inference.intervals import Interval, mean_interval
from algorithms.inference.lost_share import lost_high
from live.brokers.elastic_choices import GENERATED, LEAST, TURNS
from pipeline.experiments.brokers.results.broker_study import SAME
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import GIANNAKOPOULOS, PublishedFigure
from pipeline.reporting.sections.tolerances import Measured, by_own_rule
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.warehouse.runs.run_results import Results
from schemas.tables.brokers.broker_columns import PLAIN
from schemas.verdicts import NOT_REPRODUCED, OPEN, REPRODUCED

FEWEST_SCALINGS, FEWEST_RECORDS = 100, 1_000_000
"""Scalings and acknowledged records from which on there is a verdict on loss."""

_LEAST = "every scaling carries out a plan that is proved to have the fewest moves with its balance"


def figures(experiments: Iterable[BrokerExperiment]) -> Iterator[PublishedFigure[Results]]:
    """Figures of a run with enough scalings for a verdict; decisions have none."""
    every = [one for one in experiments if not one.decided_by]
    if sum(one.scalings for one in every) < FEWEST_SCALINGS:
        return
    yield _loss(every)
    yield from (_moves(one) for one in every if one.planner == LEAST)
    by_plan = {(one.planner, one.replication): one for one in every}
    for (planner, replication), one in by_plan.items():
        other = by_plan.get((GENERATED, replication))
        if planner == TURNS and other is not None:
            yield _fewer(one, other)


def says(lost: int, acknowledged: int, is_drained: bool) -> str:
    """Verdict on the claim that nothing is lost."""
    if lost and is_drained:
        return NOT_REPRODUCED
    return OPEN if lost or acknowledged < FEWEST_RECORDS else REPRODUCED


def fewer(differences: Sequence[float] | Floats) -> tuple[str, Interval]:
    """Verdict on the claim that plans move fewer replicas than others, from paired differences."""
    interval = mean_interval(differences)
    if interval.high < 0:
        return REPRODUCED, interval
    # Too few pairs have no interval.
    return NOT_REPRODUCED if interval.low > 0 else OPEN, interval


def _loss(every: Sequence[BrokerExperiment]) -> PublishedFigure[Results]:
    def measure(run: Results) -> Measured:
        rows = run["broker_runs"]
        rows = rows[rows["experiment"].isin([one.name for one in every])]
        plain = rows[rows["producers"] == PLAIN]
        lost, acknowledged = int(rows["lost"].sum()), int(rows["acknowledged"].sum())
        words = f"{lost:,} of {acknowledged:,} records lost"
        return Measured(
            (lost / max(acknowledged, 1),),
            words,
            (0.0, lost_high(lost, acknowledged)),
            says=says(lost, acknowledged, bool(rows["drained"].all())),
            note=f"at process crash, not at power failure; plain producers: "
            f"{plain['repeated'].sum():,} repeated, {plain['disordered'].sum():,} out of order",
        )

    return PublishedFigure(
        key="loss",
        source=GIANNAKOPOULOS,
        place="Section 3.2",
        workload="records of 124 bytes, acks=all",
        strategy="brokers that join and leave",
        candidate=every[0].name if len(every) == 1 else "all experiments",
        figure="share of acknowledged records that are lost",
        value=Printed.of("nothing is lost"),
        tolerance=by_own_rule,
        measure=measure,
        note=f"judged over {FEWEST_RECORDS:,} acknowledged records",
    )


def _moves(one: BrokerExperiment) -> PublishedFigure[Results]:
    def measure(run: Results) -> Measured:
        rows = run.at(one.name)["broker_scalings"]
        moves, bound = int(rows["moves"].sum()), int(rows["bound"].sum())
        ratio = moves / max(bound, 1)
        verdict = REPRODUCED if moves == bound else NOT_REPRODUCED
        return Measured((ratio,), f"{numbers.fixed(ratio, 2)} times the least", says=verdict)

    return PublishedFigure(
        key=f"{one.name}: moves",
        source=GIANNAKOPOULOS,
        place="Section 3.2",
        workload="all topics",
        strategy="brokers that join and leave",
        candidate=one.name,
        figure="replicas that move",
        value=Printed.of("as few as possible"),
        tolerance=by_own_rule,
        measure=measure,
        by_construction=_LEAST,
    )


def _fewer(one: BrokerExperiment, other: BrokerExperiment) -> PublishedFigure[Results]:
    def measure(run: Results) -> Measured:
        turns, generated = (
            run.at(each.name)["broker_scalings"].set_index(SAME)["moves"] for each in (one, other)
        )
        differences = (turns - generated).dropna()
        if differences.empty:
            return Measured(missing="no scalings of the same brokers")
        verdict, interval = fewer(differences.to_numpy(dtype=float))
        pairs = differences.index
        return Measured(
            (interval.mean,),
            f"{turns[pairs].mean():.1f} replicas a scaling, and {generated[pairs].mean():.1f} by "
            "Kafka's tool",
            (interval.low, interval.high),
            says=verdict,
            note=f"{len(differences)} pairs of scalings of the same brokers",
        )

    return PublishedFigure(
        key=f"{one.name}: fewer moves",
        source=GIANNAKOPOULOS,
        place="Section 3.2",
        workload="all topics",
        strategy=f"round robin, replication {one.replication}",
        candidate=one.name,
        figure="replicas that move, minus those of Kafka's own plans (--generate)",
        value=Printed.of("fewer"),
        tolerance=by_own_rule,
        measure=measure,
        note="" if one.replication == 1 else "above replication 1 the rule is our extension",
    )
