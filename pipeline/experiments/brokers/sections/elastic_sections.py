"""All that is written about the results of a run with brokers that join and leave."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pipeline.experiments.brokers.results.broker_study import Study, studies
from pipeline.experiments.brokers.results.deciding_study import DecidingStudy, deciding_studies
from pipeline.experiments.brokers.sections import compared_plans, deciding_sections
from pipeline.experiments.brokers.sections.broker_answer import answer
from pipeline.experiments.brokers.sections.figures import FIGURES
from pipeline.reporting.sections import published_section
from pipeline.reporting.sections.family_page import Written
from pipeline.reporting.sections.section import (
    Experiment,
    Row,
    Section,
    Table,
    charts,
    measured,
    number,
    text,
)
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import metric
from schemas.tables.brokers.broker_pauses import MOVING, STILL, WHOLE
from schemas.tables.brokers.broker_scalings import CANCELLED, UNDONE


def written(results: Results) -> Written:
    """For page, terminal, JSON and MLflow: computed once per run."""
    return results.once(_written)


def _written(results: Results) -> Written:
    scaled, decided = results.once(studies), results.once(deciding_studies)
    experiments = [*compared_plans.experiments(scaled), *map(_experiment, scaled)]
    experiments += [deciding_sections.experiment(one) for one in decided]
    published = published_section.of_run(results, "candidate")
    return Written(_answer(scaled, decided), experiments, published)


def _answer(scaled: Sequence[Study], decided: Sequence[DecidingStudy]) -> Section:
    own = answer(scaled) if scaled else Section("The answer")
    return own._replace(answer=[*own.answer, *deciding_sections.answer(decided)])


def _experiment(study: Study) -> Experiment:
    figures = Section(charts=charts(FIGURES, study))
    sections = [_loss(study), _scalings(study), figures, _pauses(study), _each(study)]
    return Experiment(study.name, study.words, [*sections, _conditions(study)])


_LOSS = (
    text("acknowledged", "acknowledged", terminal=True),
    text("lost", "lost", terminal=True, metric="brokers_lost"),
    number("share at most", "lost_high", 7, terminal=True),
    text("again", "repeated", terminal=True, metric="brokers_repeated"),
    text("out of order", "disordered", terminal=True, metric="brokers_disordered"),
)


def _loss(study: Study) -> Section:
    """Records by kind of producers."""
    rows = [
        Row(row["producers"], row, f"{study.name}/{row['producers']}")
        for row in study.runs.to_dict("records")
    ]
    return Section("Records", tables=[Table("", "Producers", _LOSS, rows)])


_SCALINGS = (
    text("scalings", "scalings", terminal=True),
    text("cancelled", "cancelled"),
    text("undone", "undone"),
    text("moves", "moves", terminal=True),
    text("least", "bound", terminal=True),
    text("replicas apart", "replica_spread", terminal=True),
    text("leaders apart", "leader_spread", terminal=True),
    measured(metric("broker_move_time"), "move_s"),
    measured(metric("broker_scaling_time"), "total_s"),
    number("longest s", "longest_s", 1),
)


def _scalings(study: Study) -> Section:
    """Scalings by kind."""
    rows = [
        Row(str(kind), _summary(own), f"{study.name}/{kind}")
        for kind, own in study.scalings.groupby("kind", sort=False)
    ]
    note = (
        "Moves: replicas to copy by the plans, and the least that plans with this balance need. "
        "Apart: most − least per broker after any scaling; replicas by the plan, leaders counted."
    )
    return Section("Scalings", tables=[Table("", "Kind", _SCALINGS, rows)], notes=[note])


def _summary(own: pd.DataFrame) -> dict[str, object]:
    return {
        "scalings": len(own),
        **{outcome: int((own["outcome"] == outcome).sum()) for outcome in (CANCELLED, UNDONE)},
        "moves": int(own["moves"].sum()),
        "bound": int(own["bound"].sum()),
        "replica_spread": int(own["replica_spread"].max()),
        "leader_spread": int(own["leader_spread"].max()),
        "move_s": float(own["move_s"].astype(float).mean()),
        "total_s": float(own["total_s"].mean()),
        "longest_s": float(own["total_s"].max()),
    }


_PAUSES = (
    text("producers", "producers", terminal=True),
    number("wait 50 % s", "wait_p50_s", 3, terminal=True),
    number("99 %", "wait_p99_s", 3, terminal=True),
    number("longest", "wait_max_s", 3, terminal=True),
    number("gap 99 % s", "gap_p99_s", 3),
    number("longest", "gap_max_s", 3),
)
_PERIODS = {STILL: "no change", MOVING: "partitions move", WHOLE: "whole scaling"}


def _pauses(study: Study) -> Section:
    """Medians over scalings of each window's percentiles; the longest of all."""
    rows = []
    for (period, kind), own in study.pauses.groupby(["period", "producers"], sort=False):
        values = {
            name: float(getattr(own[name].astype(float), "max" if "max" in name else "median")())
            for name in ("wait_p50_s", "wait_p99_s", "wait_max_s", "gap_p99_s", "gap_max_s")
        }
        rows.append(Row(_PERIODS[str(period)], values | {"producers": kind}))
    note = (
        "Wait: from when a record is due until it is acknowledged. Gap: time between "
        "acknowledgements of a partition. Medians over windows, and the longest of all. A window "
        "without a change ends where a scaling begins, and is at most as long as its move."
    )
    return Section("Pauses of producers", tables=[Table("", "Window", _PAUSES, rows)], notes=[note])


_EACH = (
    text("broker", "broker"),
    text("brokers", "after"),
    text("fault", "fault"),
    text("outcome", "outcome"),
    text("restarts", "restarts"),
    text("moves", "moves"),
    text("least", "bound"),
    number("start s", "start_s", 1),
    number("move s", "move_s", 1),
    number("election s", "election_s", 1),
    number("total s", "total_s", 1),
    text("leaders apart", "leader_spread"),
    text("without leader", "leaderless"),
)


def _each(study: Study) -> Section:
    """Each scaling."""
    rows = []
    for row in study.scalings.to_dict("records"):
        fault = {"fault": "" if pd.isna(row["fault"]) else row["fault"]}
        name = f"{row['scaling']}: {row['kind']}"
        rows.append(Row(name, row | fault, detail=True))
    table = Table("", "Scaling", _EACH, rows, folded="All scalings.")
    return Section("Each scaling", tables=[table])


_CONDITIONS = (
    text("late sends", "late_sends"),
    text("refused", "refused"),
    number("load", "load", 1),
)


def _conditions(study: Study) -> Section:
    """How it went, and on what machine."""
    first = study.runs.to_dict("records")[0]
    machine = f"Kafka {first['kafka_version']}, {first['cores']} cores."
    row = Row(study.name, first)
    return Section("Conditions", [machine], [Table("", "Experiment", _CONDITIONS, [row])])
