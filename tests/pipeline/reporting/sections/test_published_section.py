"""Published figures as page and terminal show them, from rows of any paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

from pipeline.reporting.sections import published_section
from pipeline.reporting.sections.numbers import SPACE
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import PublishedFigure, Row, row
from pipeline.reporting.sections.published_section import PublishedSection
from pipeline.reporting.sections.tolerances import (
    Measured,
    as_printed,
    one_more_stream,
    rounded,
    stated,
)
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import BY_CONSTRUCTION, EXACT, NOT_COMPARABLE, NOT_REPRODUCED, REPRODUCED

pytestmark = pytest.mark.unit

FIGURE: PublishedFigure[float] = PublishedFigure(
    key="t",
    source="a paper",
    place="Table 1",
    workload="W",
    strategy="A",
    figure="time",
    value=Printed.of("25.5"),
    unit="min",
    tolerance=as_printed,
    measure=lambda value: Measured((value,)),
)


def section(*rows: Row, named: Sequence[str] = ()) -> PublishedSection:
    results = Results({"published_figures": pd.DataFrame(rows).astype(object)})
    return published_section.of_run(results, *named)


def lines(shown: PublishedSection, width: int) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(*published_section.for_terminal(shown, width), sep="\n")
    return [" ".join(line.split()) for line in captured.get().splitlines()]


def test_units_are_written_once_whether_stored_with_the_text_or_not() -> None:
    bare = row(FIGURE, 25.52)
    own = replace(FIGURE, value=Printed.of(f"25.5{SPACE}min"), tolerance=rounded)
    for stored in (bare, row(own, 25.52)):
        (one,) = section(stored).comparable
        assert one.published == f"25.5{SPACE}min"
        assert one.ours in (f"25.520{SPACE}min", f"25.5{SPACE}min")


def test_figures_of_several_workloads_are_told_apart() -> None:
    assert section(row(FIGURE, 25.5)).comparable[0].figure == "time"
    named = ("location", "its_workload", "its_strategy")
    assert section(row(FIGURE, 25.5), named=named).comparable[0].figure == "Table 1, W, A: time"
    bare = replace(FIGURE, workload="", figure="")
    assert section(row(bare, 25.5), named=named).comparable[0].figure == "Table 1, A"


def test_notes_say_on_which_side_ours_is() -> None:
    shown = section(*(row(replace(FIGURE, note="a note"), value) for value in (25.4, 25.5, 26.0)))
    notes = [one.note for one in shown.comparable]
    assert notes == ["a note; ours is lower", "a note", "a note; ours is higher"]


@pytest.mark.parametrize(
    ("change", "value", "verdict", "note"),
    [
        ({}, 25.5, EXACT, ""),
        ({"by_construction": "fixed"}, 25.5, BY_CONSTRUCTION, "fixed"),
        ({"by_construction": "fixed"}, 25.7, NOT_REPRODUCED, ""),
        ({"incomparable": "on a cluster"}, 25.5, NOT_COMPARABLE, "on a cluster"),
        ({"incomparable": "on a cluster", "by_construction": "x"}, 25.5, NOT_COMPARABLE, None),
        ({"measure": lambda _: Measured(missing="not run")}, 25.5, NOT_COMPARABLE, "not run"),
        ({"tolerance": stated, "measure": lambda _: Measured(holds=True)}, 0.0, REPRODUCED, ""),
    ],
)
def test_one_verdict_for_all(
    change: dict[str, Any], value: float, verdict: str, note: str | None
) -> None:
    judged = row(replace(FIGURE, **change), value)
    assert judged["verdict"] == verdict
    assert note is None or judged["note"] == note


def test_a_terminal_has_what_can_be_compared_and_counts_the_rest() -> None:
    other = replace(FIGURE, key="u", incomparable="on a cluster")
    output = lines(section(row(FIGURE, 25.5), row(FIGURE, 26.0), row(other, 99.0)), 100)
    assert output[-2:] == [
        "Published figures: 1 exact and 1 not reproduced.",
        "1 more cannot be compared with this run; see the report.",
    ]
    assert not any("99" in line for line in output)
    assert lines(section(row(other, 99.0)), 100) in ([], [""])


@pytest.mark.parametrize("width", [90, 160])
def test_intervals_have_a_column_where_there_is_room(width: int) -> None:
    wide: PublishedFigure[float] = replace(
        FIGURE, tolerance=one_more_stream, measure=lambda value: Measured((value, value + 1.0))
    )
    judged = row(wide, 25.0)
    output = lines(section(judged, row(FIGURE, 25.5)), width)
    assert any("95 % interval" in line for line in output) == (width == 160)
    assert " ".join(judged["interval_text"].split()) in " ".join(output)
    assert "95 % interval" not in " ".join(lines(section(row(FIGURE, 25.5)), width))
