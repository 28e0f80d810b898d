"""The page of a live run: complete, self-contained, the same each time."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.live.results import lag_by_second
from pipeline.experiments.live.results.live_study import studies
from pipeline.experiments.live.sections import live_page
from pipeline.experiments.live.sections.figures import FIGURES
from pipeline.experiments.live.sections.live_answer import answer
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.drawing.long_series import MOST_POINTS
from pipeline.warehouse.runs.run_results import Results
from schemas.tables.live.live_runs import SPEED_BINS
from tests.pipeline.experiments.live import live_cases
from tests.pipeline.reporting.sections import drawn_charts
from tests.pipeline.reporting.sections.html_page import Page, section

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def changed(table: str, where: str, **values: object) -> Results:
    """The small run with other values in the rows of a table that meet a condition."""
    rows = live_cases.small()[table].copy().astype(object)
    chosen = live_cases.small()[table].eval(where)
    for name, value in values.items():
        rows[name] = rows[name].mask(chosen, value)
    return live_cases.small().with_tables(**{table: rows})


def without_latencies() -> Results:
    rows = live_cases.small()["live_agreement"]
    return live_cases.small().with_tables(live_agreement=rows[rows["unit"] != "s"])


CASES = {
    "small": live_cases.small,
    "no latencies": without_latencies,
    "unbounded": lambda: changed(
        "live_agreement", "quantity == 'p99'", predicted_a=float("inf"), error_a=None
    ),
    "one strategy": lambda: live_cases.small().with_tables(
        live_agreement=live_cases.small()["live_agreement"].query("strategy == 'MWF'")
    ),
}


@pytest.fixture(params=CASES)
def built(request: pytest.FixtureRequest) -> tuple[Results, str]:
    results = CASES[request.param]()
    return results, live_page.build(results)


def test_page_is_well_formed_and_asks_for_nothing(built: tuple[Results, str]) -> None:
    page = Page(built[1])
    assert len(page.ids) == len(set(page.ids))
    assert page.tags["h1"] == 1
    assert page.tags["script"] == 0
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert not re.search(r"\b(nan|NaN|None|inf)\b", page.text)
    assert not re.search(r'(points|d|x|y|x1|y1|cx|cy)="[^"]*(nan|inf)', built[1])


def test_page_does_not_depend_on_the_order_of_rows(built: tuple[Results, str]) -> None:
    results, html = built
    names = (*live_cases.TABLES, lag_by_second.TABLE)
    tables = {name: results[name].sample(frac=1.0, random_state=5) for name in names}
    assert live_page.build(results.with_tables(**tables)) == html


def test_every_strategy_is_shown_with_its_predictions() -> None:
    html = live_page.build(live_cases.small())
    shown = section(html, "experiments")
    for strategy in ("MWF", "kd_1"):
        assert f'<th scope="row">{strategy}</th>' in html
    text = shown.replace("\u00a0", " ")
    assert "A 2.50" in text
    assert "B 1.25" in text
    assert "Δt2: decided" in text
    assert "no earlier run" not in Page(html).text


def test_published_times_have_verdicts() -> None:
    html = live_page.build(live_cases.small())
    text = section(html, "published").replace("\u00a0", " ")
    assert "brokered: Δt2: decided" in text
    assert "< 1 s (1,345 observations)" in text
    assert "median 0.010 s, 90 % 0.010 s, maximum 0.010 s (2 plans)" in text
    assert "required: maximum < 1 s" in text
    assert '<span class="badge good">✓ 2 reproduced</span>' in html
    none = live_cases.small().with_tables(published_figures=pd.DataFrame())
    assert 'id="published"' not in live_page.build(none)


def test_the_answer_has_two_sentences() -> None:
    content = answer(studies(live_cases.small()))
    first, second = (words.replace("\u00a0", " ") for words in content.answer)
    assert first == (
        "Of 2 strategies on the broker, MWF has the lowest 90th percentile of latency: 0.050 s "
        "with 2.0 consumers on average; the best fixed group, kd_1, has 2.50 s with 1.0 consumers "
        "on average."
    )
    assert second.startswith("Of 12 percentiles of latency, ")
    assert second.endswith(
        "12 with the latency model on simulated assignments; consumers, "
        "migrations and owners are exactly the simulated ones."
    )
    # 3/N.
    assert content.notes[0].replace("\u00a0", " ") == (
        "0 of 3,200 records were lost, repeated or out of order (at most 0.094 % at 95 % "
        "confidence)."
    )
    assert any("τ" in note and "1.00" in note for note in content.notes)


def test_what_went_wrong_is_in_the_answer() -> None:
    twice = answer(studies(changed("live_integrity", "partition == 0", twice=3)))
    # The exact interval of 12 in 3,200 ends at 0.654 %.
    assert twice.notes[0].replace("\u00a0", " ") == (
        "12 of 3,200 records were lost, repeated or out of order (at most 0.66 % at 95 % "
        "confidence)."
    )
    faulty = answer(studies(changed("live_runs", "strategy == 'MWF'", faults=2)))
    assert any(note.startswith("There were 4 faults") for note in faulty.notes)
    moved = changed("live_agreement", "quantity == 'migrations'", error_a=1.0, verdict="differs")
    assert "so do 4 of 8 numbers" in answer(studies(moved)).answer[1]


def test_figures_have_a_mark_per_percentile_and_prediction() -> None:
    (study,) = studies(live_cases.small())
    drawn, *_ = drawn_charts.drawn(FIGURES, study)
    assert isinstance(drawn, Figure)
    for text in (drawn.wide, drawn.narrow):
        root = ElementTree.fromstring(text)
        tips = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
        assert sum(" by A " in tip for tip in tips) == sum(" by B " in tip for tip in tips) == 12
    assert "kd_1: 2.50" in drawn.alt
    (bare,) = studies(without_latencies())
    omitted, *_ = drawn_charts.drawn(FIGURES, bare)
    assert omitted is None


def course(seconds: int, strategies: Sequence[str] = ("MWF", "kd_1")) -> Results:
    """The small run with a lag of 7 records but for one second of 400 and one of 3."""
    lag = np.full(seconds, 7)
    lag[[seconds // 3, seconds // 2]] = 400, 3
    values = {"second": np.arange(1, seconds + 1), "lag": lag, "consumers": 2}
    frame = pd.DataFrame({"experiment": "brokered", "stream_id": "s", **values})
    parts = [frame.assign(strategy=name) for name in strategies]
    return live_cases.small().with_tables(lag_by_second=pd.concat(parts))


def over_time(results: Results) -> Figure:
    (study,) = studies(results)
    drawn = drawn_charts.drawn(FIGURES, study)[1]
    assert isinstance(drawn, Figure)
    return drawn


@pytest.mark.parametrize("seconds", [60, 30_000])
def test_lag_over_time_keeps_its_peaks_and_few_points(seconds: int) -> None:
    drawn = over_time(course(seconds))
    lines = re.findall(r'<polyline points="([^"]*)"', drawn.wide)
    assert len(lines) == 2 * 2  # consumers and lag of two strategies
    for lag in (lines[1], lines[3]):
        heights = [float(point.split(",")[1]) for point in lag.split()]
        assert len(heights) <= MOST_POINTS
        assert len(set(heights)) == 3
    assert ("Lines have the least" in drawn.caption) == (seconds > 1_000)
    assert ("minutes" in drawn.wide) == (seconds > 600)


def test_not_all_of_many_strategies_are_drawn_over_time() -> None:
    many = [f"kd_{n}" for n in range(1, 11)]
    first = live_cases.small()["live_agreement"].query("strategy == 'kd_1'")
    agreement = pd.concat([first.assign(strategy=name) for name in many])
    results = course(60, many).with_tables(live_agreement=agreement)
    config = results.config
    config["live"][0]["strategies"] = many
    drawn = over_time(dataclasses.replace(results, run={**results.run, "config": config}))
    assert "the 8 strategies with the lowest" in drawn.caption
    assert drawn.wide.count("<polyline") == 2 * 8
    assert (
        drawn.alt.count(" has 2 consumers, and a lag of up to 400 records, 7 at the median") == 10
    )


def test_a_run_without_seconds_has_no_figure_over_time() -> None:
    (study,) = studies(course(60, ["BFD"]))
    omitted = drawn_charts.drawn(FIGURES, study)[1]
    assert omitted is None


def in_cycles(batches: dict[int, int]) -> Results:
    """The small run with full batches of its lone consumer, by percent of C̄."""
    runs = live_cases.small()["live_runs"].copy()
    counts = [batches.get(place, 0) for place in range(SPEED_BINS)]
    runs["batch_histogram"] = [counts if name == "kd_1" else None for name in runs["strategy"]]
    return live_cases.published(live_cases.small().with_tables(live_runs=runs))


def test_response_times_are_drawn_with_a_band_for_each_published_one() -> None:
    (study,) = studies(live_cases.small())
    _, _, drawn, missing = drawn_charts.drawn(FIGURES, study)
    assert isinstance(drawn, Figure)
    assert drawn.wide.count("<polyline") == drawn.wide.count('class="band') == 3
    assert "Δt4: partitions moved: median 0.100" in drawn.alt.replace("\u00a0", " ")
    assert missing is None


def test_the_speed_of_a_lone_consumer_is_beside_the_published_one() -> None:
    results = in_cycles({97: 2, 98: 7, 99: 1})
    (study,) = studies(results)
    *_, drawn = drawn_charts.drawn(FIGURES, study)
    assert isinstance(drawn, Figure)
    root = ElementTree.fromstring(drawn.wide)
    tips = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(" of C̄: " in tip for tip in tips) == 3
    assert drawn.wide.count("published dotted") == 4
    text = section(live_page.build(results), "published").replace("\u00a0", " ")
    assert "98.5 % of C̄ (mode 236.4 kB/s, median 236.4 kB/s, 20 batches)" in text
    assert "95.8 % of C̄ (mode; released batches 101.7 %, 100.0 % and 100.8 %)" in text


def test_a_run_without_results_has_no_experiments() -> None:
    empty = live_cases.small()["live_agreement"].iloc[:0]
    assert studies(live_cases.small().with_tables(live_agreement=empty)) == []
    assert isinstance(empty, pd.DataFrame)
