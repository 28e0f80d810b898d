"""The page of autoscaling: complete, self-contained, readable without sight, the same each time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from algorithms.autoscaling import candidates
from algorithms.autoscaling.strategy_list import COMPARED
from pipeline.experiments.autoscaling.sections import scaling_page, scaling_sections
from pipeline.experiments.autoscaling.sections.scaling_study import studies
from pipeline.reporting.drawing import figure as base
from pipeline.reporting.sections import section_terminal
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.autoscaling.sections import report_inputs
from tests.pipeline.experiments.autoscaling.sections.report_inputs import Served
from tests.pipeline.reporting.sections.html_page import Page, section

pytestmark = [pytest.mark.unit, pytest.mark.slow]

SVG = "{http://www.w3.org/2000/svg}"

CASES: dict[str, Callable[[], Results]] = {
    "three experiments": report_inputs.both,
    "one replicate": lambda: report_inputs.both(replicates=1),
    "one candidate": lambda: report_inputs.results({"calm": {"headroom": Served(90.0, 5.0)}}),
    "nothing recorded": lambda: report_inputs.results({"calm": report_inputs.CALM}, steps=False),
}


@pytest.fixture(scope="module", params=CASES)
def built(request: pytest.FixtureRequest) -> tuple[Results, str]:
    results = CASES[request.param]()
    return results, scaling_page.build(results)


def test_page_is_well_formed_and_asks_for_nothing(built: tuple[Results, str]) -> None:
    html = built[1]
    page = Page(html)
    assert len(page.ids) == len(set(page.ids))
    assert page.tags["h1"] == 1
    assert page.tags["script"] == 0
    assert "default-src 'none'; style-src 'unsafe-inline'\"" in html
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    outside = html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"(https?:)?//[a-z]|url\(|@import", outside)
    assert not re.search(r"\b(nan|NaN|None|inf)\b", page.text)
    assert not re.search(r'(points|d|x|y|x1|y1|cx|cy)="[^"]*(nan|inf)', html)


def test_page_does_not_depend_on_the_order_of_rows(built: tuple[Results, str]) -> None:
    results, html = built
    tables = ("simulations", "trade_offs", "trajectories")
    shuffled = {name: results[name].sample(frac=1.0, random_state=5) for name in tables}
    assert scaling_page.build(results.with_tables(**shuffled)) == html


def test_page_has_every_candidate_table_and_setting(built: tuple[Results, str]) -> None:
    results, html = built
    text = Page(html).text
    assert results.run_id in text
    assert "1 of 1 expectations met" in text
    for state in results.states:
        row = f'<th scope="row">{state.name}</th><td>{state.rows}</td><td>{state.version}</td>'
        assert row in html
    assert "s3a://" not in html
    for study in studies(results):
        assert f"{study.name}: flash crowd, 4 partitions, equal load" in text
        for row in study.rows.to_dict("records"):
            assert f'<th scope="row">{row["label"]}</th>' in html
    assert "mu 200 wsla_s 0.5" in section(html, "made")


def test_front_is_first_and_the_rest_collapsed() -> None:
    html = scaling_page.build(report_inputs.results({"calm": report_inputs.CALM}))
    front, rest = html.split("On the front</h3>")[1].split("<details><summary>1 dominated", 1)
    rest, oracles = rest.split("<details><summary>1 that must know rates beforehand", 1)
    names = [re.findall(r'<th scope="row">([^<]*)</th>', part) for part in (front, rest, oracles)]
    assert names[0] == [
        "constant:initial_replicas=4",
        "headroom:h=2",
        "headroom",
        "constant:initial_replicas=2",
        "linear:f_down=0.8",
    ]
    assert names[1] == ["keda_hpa"]
    assert names[2][0] == "overprovision"
    assert "without overprovision, which must know rates beforehand" in html


def test_experiments_are_folded_where_there_are_many() -> None:
    many = report_inputs.both()
    assert scaling_page.build(many).count("<details open>") == 1
    two = {"calm": report_inputs.CALM, "busy": report_inputs.BUSY}
    assert scaling_page.build(report_inputs.results(two)).count("<details open>") == 2


def test_published_figures_are_shown_if_there_are_any() -> None:
    results = report_inputs.both(replicates=1)
    assert 'id="published"' not in scaling_page.build(results)
    row = {
        "run_id": "r",
        "figure_key": "w1",
        "source": "a paper",
        "location": "Table 2",
        "its_workload": "W1",
        "its_strategy": "optimal",
        "candidate": "optimal",
        "figure": "replica-minutes",
        "unit": "min",
        "published": "32.7",
        "published_value": 32.7,
        "ours": "32.717",
        "our_value": 32.717,
        "interval_text": None,
        "difference": "=",
        "verdict": "exact",
        "note": "",
    }
    html = scaling_page.build(results.with_tables(published_figures=pd.DataFrame([row])))
    part = section(html, "published")
    assert "1 exact" in part
    assert re.search(r"optimal: replica-minutes 32.7\smin 32.717\smin", part)
    assert "not reproduced" not in part
    assert "#published" in Page(html).links


def test_names_from_users_are_text_and_nothing_else() -> None:
    nasty = "<script>&\"'"
    html = scaling_page.build(report_inputs.results({nasty: report_inputs.CALM}))
    page = Page(html)
    assert page.tags["script"] == 0
    assert nasty in page.text


def test_differences_know_which_direction_is_better() -> None:
    results = report_inputs.both()
    rows = [
        {"metric": metric, "value": value, "baseline_value": 50.0, "verdict": "moved"}
        | {"experiment": "calm", "delta": np.nan, "algorithm": "headroom:h=2"}
        | {"low": 49.0, "high": 51.0, "baseline_run_id": "r0", "expected": "interval"}
        for metric, value in (("sla_percent", 55.0), ("replica_minutes", 55.0))
    ]
    html = scaling_page.build(results.with_tables(differences=pd.DataFrame(rows)))
    part = section(html, "differences")
    assert re.search(r"events within the SLA 50.00\s% .*\+10.0\s%, better", part)
    assert re.search(r"replica-minutes 50.0 .*\+10.0\s%, worse", part)


def test_drawings_have_words_and_stay_within_their_width() -> None:
    results = report_inputs.both()
    every = [f for study in studies(results) for f in report_inputs.figures_of(results, study)]
    drawn = [figure for figure in every if figure]
    assert len(drawn) == 9
    for figure in drawn:
        assert len(figure.alt) > 80
        for drawing, width in ((figure.wide, base.WIDE), (figure.narrow, base.NARROW)):
            root = ElementTree.fromstring(drawing)
            assert root.get("role") == "img"
            for text in root.iter(f"{SVG}text"):
                # Fonts differ in width: half of the widest estimate has to fit in any case.
                room = 0.5 * 6.8 * len(text.text or "")
                x, anchor = float(text.get("x", "0")), text.get("text-anchor")
                left = x - (room if anchor == "end" else room / 2 if anchor == "middle" else 0)
                right = x + (room if anchor == "start" else room / 2 if anchor == "middle" else 0)
                assert left >= 0
                assert right <= width


def test_a_page_of_many_candidates_stays_small() -> None:
    """Twelve experiments with all sweeps have to fit into 3 MB."""
    labels = [each.label for name in COMPARED for each in candidates.sweep(name, 64, 200.0, 0.5)]
    rng = np.random.default_rng(1)
    many = {label: Served(*rng.uniform((50.0, 100.0), (99.9, 600.0))) for label in labels}
    assert len(many) > 85
    results = report_inputs.results({"calm": many, "busy": many}, replicates=2)
    long = pd.concat(
        results["trajectories"].assign(
            iteration=lambda rows, i=i: rows["iteration"] + i * report_inputs.STEPS,
            lag=lambda rows, i=i: (rows["iteration"] * 7919 * (i + 1)) % 1000,
        )
        for i in range(8)
    )
    config = results.config
    for setting in config["autoscaling"]:
        setting["iterations"] = 8 * report_inputs.STEPS
    run = {**results.run, "config": config}
    html = scaling_page.build(replace(results.with_tables(trajectories=long), run=run))
    assert len(html.encode()) < 3e6 / 12 * 2


def test_hot_partitions_and_recognized_forms_of_recordings_are_named() -> None:
    results = report_inputs.results({"calm": report_inputs.CALM})
    config = dict(results.config)
    config["autoscaling"][0] |= {"trace": "trace-t", "mu": 200.0}
    trace = {
        "path": "t.json",
        "stream_id": "trace-t",
        "digest": "ab12",
        "form": "JSON of Prometheus, messages/s",
        "fastest": [["orders/3", 500.0, "noon"], ["orders/1", 200.0, "noon"]],
        "hot": 1,
    }
    streams = pd.DataFrame({"source": ["trace"], "name": ["t.json"], "digest": ["ab12"]})
    run = {**results.run, "config": json.dumps({**config, "traces": [trace]})}
    html = scaling_page.build(replace(results.with_tables(streams=streams), run=run))
    answer = section(html, "answer")
    assert "t.json: Hot partition: orders/3, up to 2.5 × mu at noon." in answer
    assert "orders/1" not in answer
    assert "t.json, recognized as JSON of Prometheus, messages/s, SHA-256" in section(html, "made")
    config["autoscaling"][0]["mu"] = 500.0
    run = {**results.run, "config": json.dumps({**config, "traces": [trace]})}
    assert "Hot partition" not in scaling_page.build(replace(results, run=run))


def test_what_is_recommended_for_recordings_comes_first_with_its_pages() -> None:
    results = report_inputs.results({"calm": report_inputs.CALM, "busy": report_inputs.BUSY})
    rows = [
        {"experiment": "calm", "decision": "Deploy 3.", "page": "recommendation-calm.html"},
        {"experiment": "busy", "decision": "No recommendation: no.", "page": None},
    ]
    html = scaling_page.build(results.with_tables(recommendations=pd.DataFrame(rows)))
    answer = section(html, "answer")
    said = ("calm: Deploy 3.", "busy: No recommendation: no.", "On the recording alone:", "Of 3 ")
    places = [answer.index(words) for words in said]
    assert places == sorted(places)
    assert "recommendation-calm.html" in Page(html).links
    assert html.count('href="recommendation') == 1
    assert "On the recording alone" not in scaling_page.build(results)


def test_a_run_over_a_recording_ends_with_what_to_deploy_and_what_the_recording_says() -> None:
    results = report_inputs.results({"calm": report_inputs.CALM})
    rows = pd.DataFrame([{"experiment": "calm", "decision": "Deploy 3.", "page": None}])
    first, second = section_terminal.ending(
        scaling_sections.written(results.with_tables(recommendations=rows))
    )
    assert first == "Deploy 3."
    assert second.startswith("On the recording alone: Of ")


def test_the_first_figure_of_a_single_experiment_is_below_the_answer() -> None:
    html = scaling_page.build(report_inputs.results({"calm": report_inputs.CALM}))
    assert "Figure 1. " in section(html, "answer")
    assert "Figure 2. " in section(html, "experiments")
