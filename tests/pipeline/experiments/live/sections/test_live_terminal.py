"""The terminal's table of a live run."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pipeline.experiments.live.results.live_study import studies
from pipeline.experiments.live.sections.live_answer import answer
from pipeline.experiments.live.sections.live_sections import written
from pipeline.experiments.live.sections.strategies_section import QUANTITIES
from pipeline.reporting.sections import numbers, section_terminal
from pipeline.warehouse.runs.run_results import Results
from schemas.metrics import LIVE
from tests.pipeline.experiments.live import live_cases

pytestmark = pytest.mark.unit


def printed(results: Results) -> str:
    console = Console(file=io.StringIO(), width=80, record=True)
    console.print(section_terminal.shown(written(results), 80))
    return console.export_text()


def test_strategies_are_ranked_and_beside_the_simulation() -> None:
    text = printed(live_cases.small())
    lines = [line.split() for line in text.splitlines()]
    # Those of a table of strategies; tables of events have a strategy as their title.
    named = [i for i, words in enumerate(lines) if words[:1] in (["MWF"], ["kd_1"])]
    first = [i for i in named if len(lines[i]) > 1]
    assert [lines[i][0] for i in first] == ["MWF", "kd_1"]
    assert lines[first[1]] == ["kd_1", "1.00", "0.0", "0.020", "2.50", "7.50"]
    assert lines[first[1] + 1] == ["A", "1.00", "A", "0.0", "A", "0.020", "A", "2.50", "A", "7.50"]
    assert lines[first[1] + 2] == ["B", "0.010", "B", "1.25", "B", "3.75"]
    assert "…" not in text


def test_the_terminal_begins_with_the_answer_of_the_page() -> None:
    words = " ".join(printed(live_cases.small()).replace(numbers.SPACE, " ").split())
    said = answer(studies(live_cases.small()))
    assert words.startswith(" ".join([*said.answer, *said.notes]).replace(numbers.SPACE, " "))


def test_records_that_were_not_processed_are_named() -> None:
    """Their latencies are missing: those of a group that is too small would look short."""
    results = live_cases.small()
    runs = results["live_runs"]
    assert "not processed" not in printed(results)
    short = runs["sent"].where(runs["strategy"] != "kd_1", runs["read"] + 700)
    text = " ".join(printed(results.with_tables(live_runs=runs.assign(sent=short))).split())
    assert "are in no latency: kd_1 1,400." in text.replace(numbers.SPACE, ",")


def test_lines_fit_a_narrow_terminal() -> None:
    text = printed(live_cases.small())
    assert max(map(len, text.splitlines())) <= 80


def test_every_metric_with_a_prediction_is_shown() -> None:
    text = printed(live_cases.small())
    heads = {item.head for item in LIVE if item.name in QUANTITIES.values()}
    assert all(head in text for head in heads)
    assert {item.name for item in LIVE} - set(QUANTITIES.values()) == {"live_max"}


def test_a_strategy_without_records_has_dashes() -> None:
    rows = live_cases.small()["live_agreement"]
    some = rows[(rows["strategy"] == "MWF") | (rows["unit"] != "s")]
    assert "–" in printed(live_cases.small().with_tables(live_agreement=some))
