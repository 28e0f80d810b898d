"""What Giannakopoulos and Kalogeraki claim about brokers that join and leave.

With acks=all nothing is lost, and plans move as few partitions as possible. The claim on loss is
judged over many scalings and records; a small run says nothing about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
    """Figures of experiments with enough scalings for a verdict; decisions have none."""
    for one in experiments:
        if one.scalings >= FEWEST_SCALINGS and not one.decided_by:
            yield _loss(one)
            yield _moves(one)


def says(lost: int, acknowledged: int, is_drained: bool) -> str:
    """Verdict on the claim that nothing is lost."""
    if lost and is_drained:
        return NOT_REPRODUCED
    return OPEN if lost or acknowledged < FEWEST_RECORDS else REPRODUCED


def _loss(one: BrokerExperiment) -> PublishedFigure[Results]:
    def measure(run: Results) -> Measured:
        rows = run.at(one.name)["broker_runs"]
        plain = rows[rows["producers"] == PLAIN].iloc[0]
        lost, acknowledged = int(rows["lost"].sum()), int(rows["acknowledged"].sum())
        words = f"{lost:,} of {acknowledged:,} records lost"
        high = min(3.0 / acknowledged, 1.0) if acknowledged else 1.0
        return Measured(
            (lost / max(acknowledged, 1),),
            words,
            (0.0, high) if not lost else (0.0, float(rows["lost_high"].max())),
            says=says(lost, acknowledged, bool(rows["drained"].all())),
            note=f"at process crash, not at power failure; plain producers: {plain['repeated']:,} "
            f"repeated, {plain['disordered']:,} out of order",
        )

    return PublishedFigure(
        key=f"{one.name}: loss",
        source=GIANNAKOPOULOS,
        place="Section 3.2",
        workload="records of 124 bytes, acks=all",
        strategy="brokers that join and leave",
        candidate=one.name,
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
