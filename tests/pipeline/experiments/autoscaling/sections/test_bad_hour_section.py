"""What page, terminal and MLflow say of events at the busiest hour."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from rich.console import Console

from pipeline.experiments.autoscaling.sections import bad_hour_section, scaling_page
from pipeline.experiments.autoscaling.sections.scaling_sections import written
from pipeline.experiments.autoscaling.sections.scaling_study import Study, studies
from pipeline.experiments.autoscaling.tracking.strategy_runs import tracked
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import section_terminal
from pipeline.reporting.sections.section import Section
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.autoscaling import scaling_cases
from tests.pipeline.experiments.autoscaling.sections.bad_hour_rows import GONE_S, NAME, results
from tests.sentence_facts import facts_in

pytestmark = [pytest.mark.unit, pytest.mark.slow]

FIXED = "constant:initial_replicas=5"
FACTS = [
    *("2", "3", "headroom", "median", "21 min 28 s", "outage:15m"),
    *(FIXED, "median", "2 h 15 min", "outage:15m", "linear", "outage:15m", "3", "30"),
]
"""What the answer says: how many recover, the soonest and the latest, and what does not."""


def study(run: Results, name: str = NAME) -> Study:
    return next(one for one in studies(run) if one.name == name)


def section() -> Section:
    run = results()
    return bad_hour_section.section(run, study(run))


def figure() -> Figure:
    (draw,) = section().charts
    drawn = draw(1)
    assert drawn is not None
    return drawn


def test_an_experiment_without_events_has_no_section() -> None:
    run = results()
    assert not bad_hour_section.section(run, study(run, "bursts-5")).tables
    plain = scaling_cases.small()
    assert not list(bad_hour_section.answers(plain, studies(plain)))


def test_the_answer_says_which_recover() -> None:
    (sentence,) = section().answer
    assert facts_in(sentence, *FACTS) == FACTS
    assert written(results()).answer.answer[0] == f"{NAME}: {sentence}"


def test_events_that_hold_to_the_end_have_no_times() -> None:
    run = results()
    rows = bad_hour_section.ranked(run, NAME)
    lasting = rows[rows["event"] == "warm_up"]
    assert bad_hour_section.sentence(lasting) == (
        "All events hold to the end, so none has a time until its lag is gone."
    )


def cells(title: str) -> dict[str, dict[str, Any]]:
    table = next(one for one in section().tables if title in (one.title, one.folded))
    return {
        row.name: {field.head: field.write(row.values) for field in table.fields}
        for row in table.rows
    }


def test_the_soonest_strategy_comes_first_and_events_have_short_heads() -> None:
    gone = cells("Lag gone after, min: median over seeds")
    assert list(gone) == ["headroom", FIXED, "linear"]
    assert list(gone["linear"]) == ["blind:\nstale", "blind:\nstopped", "crash", "outage"]
    assert gone["headroom"]["outage"].text == "21.5"
    assert gone["headroom"]["outage"].below == ("19.3 to 23.6",)
    assert gone["linear"]["outage"].text == "∞"


def test_what_lasts_has_late_events_and_no_end() -> None:
    late = cells("Late events, thousands: mean over seeds")
    assert late["headroom"]["warm_up"].text == "2.00"
    added = cells("Replica-minutes more: mean over seeds")
    assert added["headroom"]["crash"].text == "-1.50"
    assert any("not before the end" in note for note in section().notes)


@pytest.mark.parametrize("width", [72, 80])
def test_a_terminal_has_times_and_late_events_within_its_width(width: int) -> None:
    text = io.StringIO()
    Console(file=text, width=width).print(section_terminal.shown(written(results()), width))
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert bad_hour_section.TITLE in text.getvalue()
    for words in ("Lag gone after, min", "Late events, thousands", "Events: blind:10m:kind=stale"):
        assert words in text.getvalue()


def test_the_figure_has_each_strategy_in_each_event() -> None:
    drawn = figure()
    for svg in (drawn.wide, drawn.narrow):
        root = ET.fromstring(svg)
        texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts.count("constant 5") == 4
        assert {"crash", "outage:15m", "blind:10m:kind=stale"} <= set(texts)
        assert "warm_up" not in texts
        tips = [
            tip.text
            for node in root.iter()
            if "mark" in node.attrib.get("class", "").split()
            for tip in node.iter("{http://www.w3.org/2000/svg}title")
        ]
        assert len(tips) == 4 * len(GONE_S)
        assert sum("not before the end" in str(tip) for tip in tips) == 1


def test_the_figure_says_all_times_in_words() -> None:
    words = figure().alt
    facts = ["crash", FIXED, "1 min 00 s", "headroom", "1 min", "linear"]
    assert facts_in(words, *facts) == facts


def test_the_page_has_the_events_before_the_front() -> None:
    page = scaling_page.build(results())
    assert page.index(bad_hour_section.TITLE) < page.index("On the front")
    assert page.count('id="recovery-') > 0


def test_mlflow_gets_the_figures_of_events() -> None:
    run = tracked(results())
    own = {key: value for key, value in run.parent.metrics.items() if key.startswith("bad_hour/")}
    assert own[f"bad_hour/lag_gone_after_s/{NAME}/headroom/outage-15m"] == 1_288.0
    assert len(own) == 4 * len(GONE_S)
    child = next(one for one in run.children("parent") if one.name == f"{NAME}/headroom")
    assert child.metrics["bad_hour/late_events/warm_up"] == 2_000.0
    assert child.metrics["bad_hour/added_minutes/crash"] == -1.5
    assert "bad_hour/lag_gone_after_s/warm_up" not in child.metrics
