"""All that is written about the results of a run on a broker."""

from __future__ import annotations

from typing import Any

from pipeline.experiments.live.results.live_study import Study, studies
from pipeline.experiments.live.sections import short_names
from pipeline.experiments.live.sections.asking_section import asking
from pipeline.experiments.live.sections.events_section import group_events
from pipeline.experiments.live.sections.figures import FIGURES
from pipeline.experiments.live.sections.live_answer import answer
from pipeline.experiments.live.sections.response_section import times
from pipeline.experiments.live.sections.strategies_section import strategies
from pipeline.reporting.sections import family_page, numbers
from pipeline.reporting.sections.family_page import Written
from pipeline.reporting.sections.section import (
    Cell,
    Experiment,
    Field,
    Row,
    Section,
    Table,
    Values,
    charts,
    number,
)
from pipeline.warehouse.runs.run_results import Results


def written(results: Results) -> Written:
    """For page, terminal, JSON and MLflow: computed once per run."""
    return results.once(_written)


def _written(results: Results) -> Written:
    return family_page.written(results, studies, answer, _experiment, "candidate")


def _experiment(study: Study) -> Experiment:
    figures = Section(charts=charts(FIGURES, study))
    sections = [
        strategies(study),
        group_events(study),
        asking(study),
        figures,
        times(study),
        _conditions(study),
    ]
    return Experiment(study.name, study.words, sections)


def _counted(head: str, key: str) -> Field:
    return Field(head, key, lambda values: Cell(numbers.count(float(values[key]))))


def _gap(values: Values) -> Cell:
    value = values["gap_p50_s"]
    return Cell(numbers.MISSING if value is None else numbers.seconds(float(value)))


_CONDITIONS = (
    _counted("stream", "replicate"),
    number("load", "load", 1),
    _counted("unsound", "unsound_iterations"),
    _counted("faults", "faults"),
    _counted("records sent", "sent"),
    _counted("plans", "plans"),
    Field("median gap", "gap_p50_s", _gap),
)


def _conditions(study: Study) -> Section:
    """How each run went, and on what machine."""
    records: list[dict[str, Any]] = study.runs.to_dict("records")
    first = records[0]
    nodes = "1 broker" if first["nodes"] == 1 else f"{first['nodes']} brokers"
    machine = (
        f"{nodes}, Kafka {first['kafka_version']}, client {first['client_version']}, "
        f"{first['cores']} cores."
    )
    names = short_names.of(study)
    rows = [Row(row["strategy"], row, short=names[row["strategy"]]) for row in records]
    return Section("Conditions", [machine], [Table("", "Strategy", _CONDITIONS, rows)])
