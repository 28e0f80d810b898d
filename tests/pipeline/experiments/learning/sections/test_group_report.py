"""Report and terminal on agents of groups: beside all rules, with shares and intervals."""

from __future__ import annotations

import io

import pandas as pd
import pytest
from rich.console import Console

from pipeline.experiments.learning.results.group_study import GroupStudy, group_studies
from pipeline.experiments.learning.sections import (
    group_sections,
    learning_page,
    learning_sections,
)
from pipeline.experiments.learning.sections.learning_sections import written
from pipeline.reporting.sections import section_terminal
from pipeline.reporting.sections.section import Table
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.learning import learning_cases
from tests.pipeline.reporting.sections.table_cells import cells

pytestmark = pytest.mark.unit


def tables_of(study: GroupStudy) -> list[Table]:
    """The page's tables of an experiment."""
    (section,) = group_sections.experiment(study).sections
    return list(section.tables)


def test_the_table_begins_with_the_least_regret() -> None:
    (study,) = group_studies(learning_cases.grouped())
    (table,) = tables_of(study)
    assert table.title == "Weight 5, reference linear"
    assert list(cells(table)) == [
        "clairvoyant:weight=5",
        "dqn:action=delta",
        "linear",
    ]
    agent = cells(table)["dqn:action=delta"]
    assert [cell.text for cell in agent] == [
        "25.0",
        "2.50",
        "0.00",
        "1 of 2",
        "50.0",
        "25.0",
        "25.0",
    ]
    assert agent[3].below == ("1\u00a0% to 99\u00a0%",)
    assert cells(table)["linear"][3].text == "–"


def test_fronts_follow_the_tables_of_several_weights() -> None:
    (study,) = group_studies(learning_cases.grouped())
    other = study.scores.assign(weight=10.0, reference="mpc")
    two = study._replace(scores=pd.concat([study.scores, other]))
    *tables, fronts = tables_of(two)
    assert [table.title for table in tables] == [
        "Weight 5, reference linear",
        "Weight 10, reference mpc",
    ]
    assert list(cells(fronts)) == ["clairvoyant", "dqn:action=delta", "linear"]
    assert [cell.text for cell in cells(fronts)["dqn:action=delta"]] == ["0.500", "1"]
    assert cells(fronts)["dqn:action=delta"][0].below == ("0.500 to 0.500",)


def test_the_answer_counts_all_seeds() -> None:
    (study,) = group_studies(learning_cases.grouped())
    assert group_sections.answer(study) == (
        "Least regret by weight of late events: dqn:action=delta at 5. Of the 2 seeds of the agent "
        "with most of them, 1 at 5 cost at most as much as the best rule on the validation parts."
    )


def test_the_page_has_the_section_only_with_groups() -> None:
    with_groups, without = (
        learning_page.build(results)
        for results in (learning_cases.grouped(), learning_cases.small())
    )
    assert 'id="groups"' in with_groups
    assert 'id="claims"' in with_groups
    assert 'id="groups"' not in without


def printed(results: Results) -> str:
    console = Console(file=io.StringIO(), width=80, record=True)
    console.print(section_terminal.shown(written(results), 80))
    return console.export_text()


def test_the_terminal_lists_agents_beside_rules_with_intervals_below() -> None:
    lines = [line.split() for line in printed(learning_cases.grouped()).splitlines()]
    assert ["Strategy", "regret", "%", "replicas", "late", "%"] in lines
    place = lines.index(["dqn:action=delta", "25.0", "2.50", "0.00"])
    assert lines[place + 1] == ["25.0", "to", "25.0"]
    assert ["dqn", "count", "50", "0.75", "5.0", "25.0", "4.0"] in lines


def test_the_terminal_prints_the_answer_once_and_leaves_out_other_parameters() -> None:
    grouped = learning_cases.grouped()
    text = printed(grouped)
    assert text.count("Least regret by weight of late events") == 1
    scores = grouped["group_scores"]
    other = scores[scores["policy"] == "linear"].assign(chosen=False, parameters="lag=3")
    more = grouped.with_tables(group_scores=pd.concat([scores, other]))
    assert printed(more) == text
    assert '<th scope="row">linear:lag=3</th>' in learning_page.build(more)


def test_long_names_are_whole_in_80_columns() -> None:
    grouped = learning_cases.grouped()
    name = "_".join(["policy"] * 12)
    scores = grouped["group_scores"].replace({"policy": {"linear": name}})
    text = printed(grouped.with_tables(group_scores=scores))
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert name in "".join(line.split("  ")[0] for line in text.splitlines())


def test_what_is_written_is_computed_once_per_run() -> None:
    results = learning_cases.grouped()
    assert learning_sections.written(results) is learning_sections.written(results)
    other = results.with_tables(group_scores=results["group_scores"])
    assert learning_sections.written(other) is not learning_sections.written(results)
