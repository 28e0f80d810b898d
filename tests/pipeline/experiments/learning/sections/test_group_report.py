"""Report and terminal on agents of groups: beside all rules, with shares and intervals."""

from __future__ import annotations

import pandas as pd
import pytest
from rich.console import Console

from pipeline.experiments.learning.results.group_study import group_studies
from pipeline.experiments.learning.sections import agent_listing, group_grids, learning_page
from tests.pipeline.experiments.learning import learning_cases

pytestmark = pytest.mark.unit


def test_the_table_begins_with_the_least_regret() -> None:
    (study,) = group_studies(learning_cases.grouped())
    (table,) = group_grids.experiment(study).tables
    assert table.title == "Weight 5, reference linear"
    assert [name for name, _ in table.rows] == [
        "clairvoyant:weight=5",
        "dqn:action=delta",
        "linear",
    ]
    agent = dict(table.rows)["dqn:action=delta"]
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
    assert dict(table.rows)["linear"][3].text == "–"


def test_fronts_follow_the_tables_of_several_weights() -> None:
    (study,) = group_studies(learning_cases.grouped())
    other = study.scores.assign(weight=10.0, reference="mpc")
    two = study._replace(scores=pd.concat([study.scores, other]))
    *tables, fronts = group_grids.experiment(two).tables
    assert [table.title for table in tables] == [
        "Weight 5, reference linear",
        "Weight 10, reference mpc",
    ]
    assert [name for name, _ in fronts.rows] == ["clairvoyant", "dqn:action=delta", "linear"]
    assert [cell.text for cell in fronts.rows[1][1]] == ["0.500", "1"]
    assert fronts.rows[1][1][0].below == ("0.500 to 0.500",)


def test_the_answer_counts_all_seeds() -> None:
    (study,) = group_studies(learning_cases.grouped())
    assert group_grids.answer(study) == (
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


def test_the_terminal_lists_agents_beside_rules() -> None:
    console = Console(width=100, record=True, file=None)
    with console.capture() as captured:
        console.print(agent_listing.shown(learning_cases.grouped(), console))
    assert "25.0 to 25.0" in captured.get()
    assert "clairvoyant:weight=5" in captured.get()
