"""All that is written about the results of a run on applications."""

from __future__ import annotations

from pipeline.experiments.applications.results.application_study import Study, studies
from pipeline.experiments.applications.sections import prefetch_section
from pipeline.experiments.applications.sections.application_answer import answer
from pipeline.experiments.applications.sections.figures import FIGURES
from pipeline.reporting.sections import family_page
from pipeline.reporting.sections.family_page import Written
from pipeline.reporting.sections.section import (
    Experiment,
    Row,
    Section,
    Table,
    charts,
    measured,
    number,
)
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import APPLICATIONS


def written(results: Results) -> Written:
    """For page, terminal, JSON and MLflow: computed once per run."""
    return results.once(_written)


def _written(results: Results) -> Written:
    return family_page.written(results, studies, answer, experiment, "location", "its_strategy")


_FIELDS = tuple(measured(item, ends=True, terminal=True) for item in APPLICATIONS)


def experiment(study: Study) -> Experiment:
    """All sections of an experiment."""
    rows = [Row(row["policy"], row) for row in study.means]
    note = (
        f"Means over {study.setting['replicates']} replicates with 95 % bootstrap intervals; "
        f"response times along {study.path}. Peak: greatest mean of the events completed in 30 s. "
        f"Above: share of the events over {study.setting['r_max']:g} s."
    )
    sections = [
        Section(charts=charts(FIGURES, study)),
        Section("Policies", tables=[Table("", "Policy", _FIELDS, rows)], notes=[note]),
        prefetch_section.section(study),
        _by_function(study),
    ]
    return Experiment(study.name, study.words, sections)


def _by_function(study: Study) -> Section:
    """Mean instances and the longest backlog of each function, first replicate."""
    names = list(dict.fromkeys(study.functions["function"]))
    fields = [
        *(number(f"{name}, instances", f"{name}_instances", 2) for name in names),
        *(number(f"{name}, backlog", f"{name}_backlog", 0) for name in names),
    ]
    seconds = study.steps.drop_duplicates("step").set_index("step")["seconds"]
    rows = []
    for policy in study.setting["policies"]:
        values = {}
        own = study.functions[study.functions["policy"] == policy]
        for name, steps in own.groupby("function"):
            lengths = steps["step"].map(seconds)
            weighted = (steps["instances"] * lengths).sum() / lengths.sum()
            values[f"{name}_instances"] = float(weighted)
            values[f"{name}_backlog"] = float(steps["backlog"].max())
        rows.append(Row(policy, values))
    note = "First replicate: instances are means over time, backlogs the longest at a decision."
    return Section("Functions", tables=[Table("", "Policy", fields, rows)], notes=[note])
