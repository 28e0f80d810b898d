"""The section on events, from rows of `live_recoveries`."""

from __future__ import annotations

import pytest

from pipeline.experiments.live.results.live_study import studies
from pipeline.experiments.live.sections.events_section import TITLE, group_events
from pipeline.experiments.live.sections.live_page import build
from pipeline.experiments.live.tracking.live_children import tracked
from pipeline.reporting.sections.numbers import SPACE
from tests.pipeline.experiments.live import live_cases
from tests.sentence_facts import figures_of

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def test_an_event_has_its_figures_and_below_those_of_simulation_and_replay() -> None:
    (study,) = studies(live_cases.small())
    section = group_events(study)
    assert [table.title for table in section.tables] == ["MWF", "kd_1"]
    table = section.tables[1]
    streams = [f"brokered-d25-uniform-r{number:04d}" for number in (1, 2)]
    assert [row.name for row in table.rows] == [f"crash@4s, {stream}" for stream in streams]
    cells = [field.write(table.rows[0].values) for field in table.fields]
    assert [cell.text for cell in cells] == ["100", f"8.00{SPACE}s", f"9.00{SPACE}s"]
    assert [cell.below for cell in cells] == [
        ("A 100", "B 100"),
        (f"A 6.50{SPACE}s", f"B 8.00{SPACE}s"),
        (f"A 9.00{SPACE}s", f"B 9.00{SPACE}s"),
    ]
    # Only the greatest age of kd_1 differs.
    assert [cell.bold for cell in cells] == [False, True, False]
    # None was lost: there is no further figure.
    assert [figures_of(sentence) for sentence in section.answer] == [["12", "4", "10"]]
    lost = study._replace(integrity=study.integrity.assign(lost=2))
    (sentence,) = group_events(lost).answer
    assert figures_of(sentence) == ["12", "4", "10", f"{2 * len(study.integrity)}"]


def test_a_single_stream_needs_no_name() -> None:
    (study,) = studies(live_cases.small())
    rows = study.recoveries
    single = study._replace(recoveries=rows[rows["stream_id"] == rows["stream_id"].min()])
    assert [row.name for row in group_events(single).tables[1].rows] == ["crash@4s"]


def test_the_page_and_mlflow_have_them() -> None:
    results = live_cases.small()
    assert TITLE in build(results)
    metrics = tracked(results).parent.metrics
    own = {name: value for name, value in metrics.items() if name.startswith("live_greatest_age_s")}
    assert sorted(own.values()) == [6.5, 6.5, 8.0, 8.0]


def test_without_events_there_is_no_section() -> None:
    (study,) = studies(live_cases.small())
    quiet = study._replace(recoveries=study.recoveries.iloc[:0])
    assert not group_events(quiet).tables
