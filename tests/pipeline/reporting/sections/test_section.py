"""One section in all media: the page has it whole, the others have parts."""

from __future__ import annotations

import io
import json
import math
from typing import Any, NamedTuple

import pytest
from rich.console import Console

from pipeline.reporting.drawing.figure import Figure, Omitted, Outcome
from pipeline.reporting.sections import (
    published_section,
    section_json,
    section_page,
    section_terminal,
)
from pipeline.reporting.sections.published_section import PublishedSection, Shown
from pipeline.reporting.sections.section import (
    Cell,
    Experiment,
    Field,
    Row,
    Section,
    Table,
    charts,
    measured,
    number,
    text,
)
from pipeline.reporting.tracking.section_metrics import metrics
from schemas.metrics import metric
from schemas.verdicts import NOT_COMPARABLE, OPEN, REPRODUCED

pytestmark = pytest.mark.unit


def values(name: str, **others: Any) -> dict[str, Any]:
    return {"name": name, "cost": 0.5, "cost_low": 0.25, "cost_high": 0.75, "seeds": 3, **others}


FIELDS = (
    number("cost %", "cost", 1, 100.0, ends=True, terminal=True, metric="cost"),
    text("seeds", "seeds"),
    Field("", "hidden", lambda row: Cell("never"), metric="hidden"),
)
ROWS = (
    Row("first", values("first", hidden=7.0), "one/δ first"),
    Row("other", values("other", cost=math.nan, cost_low=None, hidden=None), "one/other"),
    Row("more", values("more"), detail=True),
)


def drawing(study: str, place: int) -> Outcome:
    return Figure(f"{study}-{place}", place, "Costs", "", "", "", "")


def missing(study: str, place: int) -> Outcome:
    return Omitted(f"{study}-{place}", place, "Costs", "there are none")


def experiment(**changes: Any) -> Experiment:
    section = Section(
        "Costs",
        ["All cost."],
        [Table("By name", "Name", FIELDS, ROWS)],
        charts([missing, drawing], "one"),
        ["Means."],
    )
    return Experiment("one", "three names", [section._replace(**changes)])


class Whole(NamedTuple):
    answer: Section
    experiments: list[Experiment]
    published: PublishedSection = published_section.NOTHING


def written(*experiments: Experiment, answer: str = "It costs.") -> Whole:
    return Whole(Section("", [answer], notes=["Small."]), [*experiments])


def printed(*experiments: Experiment, answer: str = "It costs.") -> list[str]:
    console = Console(file=io.StringIO(), width=80, record=True)
    console.print(section_terminal.shown(written(*experiments, answer=answer), 80))
    return [" ".join(line.split()) for line in console.export_text().splitlines() if line.strip()]


def test_a_page_has_all_rows_and_columns_with_a_head() -> None:
    ((section,),) = ([*one.sections] for one in section_page.drawn([experiment()], []))
    (table,) = section.tables
    cost, seeds = (field for field in table.fields if field.head)
    assert [row.name for row in table.rows] == ["first", "other", "more"]
    assert cost.write(table.rows[0].values) == Cell("50.0", ("25.0 to 75.0",))
    assert seeds.write(table.rows[0].values) == Cell("3")
    assert cost.write(table.rows[1].values) == Cell("–", ("–",))
    assert section.paragraphs == ["All cost.", "Means."]


def test_figures_are_numbered_through_all_experiments_of_a_page() -> None:
    figures: list[Figure] = []
    both = section_page.drawn([experiment(), experiment()], figures)
    assert [figure.number for figure in figures] == [1, 2]
    assert [part.figures for one in both for part in one.sections] == [figures[:1], figures[1:]]


def test_the_first_figure_is_taken_out_of_its_experiment() -> None:
    figures: list[Figure] = []
    both = section_page.drawn([experiment(), experiment()], figures)
    assert section_page.take_first(both) == figures[:1]
    assert [part.figures for one in both for part in one.sections] == [[], figures[1:]]


def test_a_terminal_prints_part_of_the_rows_and_columns() -> None:
    assert printed(experiment()) == [
        "It costs.",
        "Small.",
        "one " + "─" * 76,
        "three names",
        "Costs",
        "All cost.",
        "By name",
        "Name cost %",
        "─" * 19,
        "first 50.0",
        "25.0 to 75.0",
        "other –",
        "–",
        "Means.",
    ]


def test_a_terminal_says_no_sentence_of_the_answer_twice() -> None:
    assert printed(experiment(), answer="All cost.").count("All cost.") == 1


def test_a_section_without_a_table_for_a_terminal_is_left_out() -> None:
    pages = [Table("", "Name", [field._replace(terminal=False) for field in FIELDS], ROWS)]
    assert "Costs" not in printed(experiment(tables=pages))


def test_a_terminal_prints_the_title_of_a_folded_table_only() -> None:
    tables = [Table("", "Name", FIELDS, ROWS, folded="3 dear ones")]
    output = printed(experiment(tables=tables))
    assert "3 dear ones" in output
    assert not any(line.startswith("first") for line in output)


def test_columns_that_do_not_fit_follow_below_and_short_tables_stand_side_by_side() -> None:
    wide = [number(f"{place} " + "%" * 20, "cost", 1, terminal=True) for place in range(4)]
    table = Table("By name", "Name", wide, ROWS, compact=True)
    found = printed(experiment(tables=[table]))
    assert [line.count("%" * 20) for line in found if "%" in line] == [3, 1]
    short = table._replace(fields=wide[:1])
    found = printed(experiment(tables=[short, short._replace(title="Again")]))
    assert any("By name" in line and "Again" in line for line in found)


def test_metrics_are_of_labelled_rows_with_a_value() -> None:
    assert metrics([experiment()]) == {"cost/one/- first": 0.5, "hidden/one/- first": 7.0}


def test_a_metric_is_written_as_everywhere() -> None:
    field = measured(metric("learning_share"), ends=True)
    assert field.head == "succeed %"
    assert field.write({"share": 0.5, "share_low": 0.25, "share_high": 1.0}) == Cell(
        "50", ("25 to 100",)
    )
    assert measured(metric("live_max"), "longest").write({"longest": None}) == Cell("–")


def test_json_has_all_words_and_the_values_of_all_rows() -> None:
    content = json.loads(section_json.text(written(experiment())))
    assert (content["answer"], content["notes"]) == (["It costs."], ["Small."])
    (one,) = content["experiments"]
    ((section,), words) = one["sections"], one["words"]
    assert (one["name"], words) == ("one", "three names")
    assert {key: section[key] for key in ("title", "answer", "notes")} == {
        "title": "Costs",
        "answer": ["All cost."],
        "notes": ["Means."],
    }
    (table,) = section["tables"]
    first, other, more = table["rows"]
    ends = {"cost_low": 0.25, "cost_high": 0.75}
    assert first == {"name": "first", "cost": 0.5, **ends, "seeds": 3, "hidden": 7.0}
    assert (other["cost"], other["cost_low"]) == (None, None)
    assert more["name"] == "more"


def test_a_run_ends_with_its_answer_and_what_was_reproduced() -> None:
    one = Shown("k", "time", "25.5", "25.6", 25.6, "–", REPRODUCED, "")
    figures = [one, one._replace(verdict=OPEN), one._replace(verdict=NOT_COMPARABLE)]
    answer = Section(answer=["It costs.", "It waits.", "It moves."])
    ends = {
        "It costs. It waits.": [],
        "It costs. None of 1 published figures can be compared with this run.": figures[2:],
        "It costs. 1 of 2 published figures comes out as published: 1 reproduced and 1 open; 1 "
        "more cannot be compared with this run.": figures,
    }
    for words, shown in ends.items():
        whole = Whole(answer, [], PublishedSection.of(shown))
        assert " ".join(section_terminal.ending(whole)) == words
    short = answer._replace(result=["In short."])
    assert section_terminal.ending(Whole(short, [])) == ["In short."]
