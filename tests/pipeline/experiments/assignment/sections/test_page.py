"""The report: complete, self-contained, readable without sight or colour, the same each time."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.assignment import sections
from pipeline.experiments.assignment.sections import bounds_section
from pipeline.experiments.assignment.sections.figures import (
    FIGURES,
    Figure,
    draw_all,
    fronts_figure,
    render_all,
    scores_by_delta_figures,
)
from pipeline.reporting.drawing import figure as base
from pipeline.reporting.sections import baseline_section
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.assignment import report_cases
from tests.pipeline.reporting.sections.html_page import Page, section

pytestmark = [pytest.mark.unit, pytest.mark.slow]

CASES: dict[str, Callable[[], Results]] = {
    "paper": report_cases.paper,
    "one replicate": lambda: report_cases.paper(replicates=1),
    "small": report_cases.small,
    "trace": report_cases.trace,
    "compared": lambda: report_cases.with_differences(report_cases.paper(replicates=2)),
}
SVG = "{http://www.w3.org/2000/svg}"


@cache
def page_of(case: str) -> str:
    return sections.build(CASES[case]())


@cache
def drawn() -> list[Figure | None]:
    """Figures of a run like the paper's."""
    return draw_all(report_cases.paper())


@cache
def files() -> dict[str, bytes]:
    """The same figures as files."""
    return render_all(report_cases.paper())


def compared_with(**changes: object) -> Results:
    """A small run, with changes to its comparison."""
    results = report_cases.with_differences(report_cases.small())
    return results.with_tables(differences=results["differences"].assign(**changes))


@pytest.fixture(scope="module", params=CASES)
def built(request: pytest.FixtureRequest) -> tuple[Results, str]:
    return CASES[request.param](), page_of(request.param)


def test_page_is_well_formed_and_ids_are_unique(built: tuple[Results, str]) -> None:
    page = Page(built[1])
    assert len(page.ids) == len(set(page.ids))
    assert page.tags["h1"] == 1
    assert len(page.scripts) == page.tags["script"] == 1


def test_policy_allows_the_script_of_the_page_alone(built: tuple[Results, str]) -> None:
    digest = hashlib.sha256(Page(built[1]).scripts[0].encode()).digest()
    named = re.findall(r"script-src '([^']*)'\"", built[1])
    assert named == [f"sha256-{base64.b64encode(digest).decode()}"]


def test_page_asks_nobody_for_anything(built: tuple[Results, str]) -> None:
    html = built[1]
    assert all(link.startswith("#") for link in Page(html).links)
    outside = html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"(https?:)?//[a-z]|url\(|@import", outside)


def test_links_within_the_page_lead_somewhere(built: tuple[Results, str]) -> None:
    page = Page(built[1])
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)


def test_same_frames_give_the_same_page(built: tuple[Results, str]) -> None:
    results, html = built
    assert sections.build(results) == html


def test_page_says_what_was_run_and_how(built: tuple[Results, str]) -> None:
    results, html = built
    text = Page(html).text
    assert results.run_id in text
    assert "2025-01-02 03:04:05 UTC" in text
    assert re.search(r"run_algorithms 2 parts .*1 min 12 s", text)
    assert "0123abcd" in text
    assert re.search(rf"scores {len(results['scores']):,} 12\b", text)
    assert "s3a://" not in html
    assert "2 of 2 expectations met" in text
    for algorithm in results["pareto"]["algorithm"].unique():
        assert algorithm in text


def test_page_says_how_far_algorithms_are_from_the_bounds() -> None:
    html = sections.build(report_cases.with_bounds(report_cases.paper()))
    part = section(html, "bounds")
    assert "Experiment tradeoff" in part
    assert "Experiment latency" not in part
    assert f"{bounds_section.PROVED} {bounds_section.CLOSEST} BFD: Rscore" in part
    assert part.index("BFD: Rscore") < part.index("MWF: Rscore")
    first = report_cases.REFERENCE[0]
    assert f"δ = 5 50.0 % Rscore 50.0 % {first} 1.00–1.50" in part
    assert "#bounds" in Page(html).links


def test_page_of_a_run_without_bounds_has_no_such_section(
    built: tuple[Results, str],
) -> None:
    assert 'id="bounds"' not in built[1]
    assert bounds_section.PROVED not in built[1]


def test_page_says_what_changed_since_the_baseline() -> None:
    part = section(page_of("compared"), "differences")
    assert "Baseline: run paper-20250101T030405 ." in part
    assert re.search(r"! 3 moved ≈ 1 changed \+ 1 new − 1 gone = \d+ same", part)
    moved, rest = part.split("Only one of the two runs")
    apart, expected = rest.split("1 expected difference ")
    assert "+2.0 %, worse" in moved
    # Values that differ in their last digit do not look the same.
    rscore = re.search(r"mean Rscore (\S+) C \S+ C to \S+ C (\S+) C < 0.1 %, better", moved)
    assert rscore is not None
    assert rscore[1] != rscore[2]
    assert re.search(r"90th percentile 4.520? s .* unbounded worse ! moved", moved)
    assert re.search(r"new .* gone", apart)
    assert "changed" not in apart
    assert re.search(r"≈ changed", expected)


@pytest.mark.parametrize(
    ("expected", "differs"),
    [
        ("equal", "Code and seed equal"),
        ("interval", "The code differs"),
        ("other streams", "The seed differs"),
    ],
)
def test_page_says_what_was_to_be_expected(expected: str, differs: str) -> None:
    text = section(sections.build(compared_with(expected=expected)), "differences")
    assert differs in text
    assert ("95 % interval" in text) == (expected == "interval")


def test_page_of_a_run_without_a_baseline() -> None:
    empty = report_cases.small().with_tables(differences=pd.DataFrame())
    for html in (page_of("small"), sections.build(empty)):
        assert "There is no baseline" in Page(html).text


def test_nothing_moved_is_said() -> None:
    text = section(sections.build(compared_with(verdict="same")), "differences")
    assert "Nothing moved." in text
    assert "expected difference" not in text


def test_a_flood_of_differences_is_cut_off() -> None:
    results = compared_with(verdict="moved")
    flood = pd.concat([results["differences"]] * 10, ignore_index=True)
    html = sections.build(results.with_tables(differences=flood))
    assert html.count("! moved</span>") == baseline_section.MOST
    assert f"{len(flood) - baseline_section.MOST} more are in the table" in html
    # The number shown counts all, not only those that are listed.
    harmless = sections.build(results.with_tables(differences=flood.assign(verdict="changed")))
    assert f"{len(flood):,} expected differences" in harmless


def test_nothing_missing_is_written_as_a_number(built: tuple[Results, str]) -> None:
    assert not re.search(r"\b(nan|NaN|None|inf)\b", Page(built[1]).text)


def numbers_of(results: Results) -> list[int]:
    """Numbers of the figures that a run has data for."""
    return [figure.number for figure in draw_all(results) if figure]


def test_every_figure_has_words_for_those_who_do_not_see_it() -> None:
    for figure in drawn():
        assert isinstance(figure, Figure)
        for drawing in (figure.wide, figure.narrow):
            root = ElementTree.fromstring(drawing)
            assert root.get("role") == "img"
            ids = str(root.get("aria-labelledby")).split()
            texts = [root.find(f"./*[@id='{one}']") for one in ids]
            assert all(text is not None and text.text for text in texts)
        assert len(figure.alt) > 80
        assert figure.number > 12 or "Corresponds to the" in figure.caption


def test_figures_are_the_papers_five_to_twelve_and_two_more() -> None:
    assert numbers_of(report_cases.paper()) == list(range(5, 15))
    assert len({figure.name for figure in drawn() if figure}) == len(FIGURES)


def test_drawings_stay_within_their_width() -> None:
    for figure in drawn():
        assert isinstance(figure, Figure)
        for drawing, width in ((figure.wide, base.WIDE), (figure.narrow, base.NARROW)):
            for text in ElementTree.fromstring(drawing).iter(f"{SVG}text"):
                # Fonts differ in width: half of the widest estimate has to fit in any case.
                room = 0.5 * 6.8 * len(text.text or "")
                x = float(text.get("x", "0"))
                anchor = text.get("text-anchor")
                left = x - (room if anchor == "end" else room / 2 if anchor == "middle" else 0)
                right = x + (room if anchor == "start" else room / 2 if anchor == "middle" else 0)
                assert left >= 0
                assert right <= width


def test_files_are_images_of_their_own() -> None:
    assert len(files()) == len(FIGURES)
    for content in files().values():
        root = ElementTree.fromstring(content)
        assert "--ink" in str(root.findtext(f"{SVG}style"))
    assert files() == render_all(report_cases.paper())


def test_a_run_without_latencies_leaves_figures_out_and_says_why() -> None:
    results = report_cases.paper()
    without = results.with_tables(
        latency=results["latency"].iloc[:0], series=results["series"].iloc[:0]
    )
    assert numbers_of(without) == [9, 10, 11, 12, 13, 14]
    html = sections.build(without)
    assert "omitted" not in html
    assert "This run has no latencies" in section(html, "latency")


def test_a_trace_has_no_figures_over_delta_but_a_front() -> None:
    assert numbers_of(report_cases.trace()) == [5, 6, 7, 8, 12]


def test_a_run_of_static_assignments_alone() -> None:
    results = report_cases.trace()
    chosen = {"scores", "latency", "histograms", "pareto", "series"}
    static = {t: results[t][results[t]["algorithm"] != "MWF"] for t in chosen}
    html = sections.build(results.with_tables(**static))
    assert "Run kd_" in section(html, "answer")
    late = static["latency"].assign(n_positive=1, p90=1.0, max=1.0)
    html = sections.build(results.with_tables(**static | {"latency": late}))
    assert "This run compares no packing algorithms." in Page(html).text


def test_latencies_without_end_are_drawn_and_written() -> None:
    results = report_cases.paper()
    latency = results["latency"].copy()
    worst = latency["algorithm"] == "kd_1"
    latency.loc[worst, ["p90", "p99", "max"]] = np.inf
    html = sections.build(results.with_tables(latency=latency))
    assert "unbounded" in Page(html).text
    assert not re.search(r'="[^"]*\b(nan|inf)\b', html)


def test_a_latency_above_zero_nowhere() -> None:
    results = report_cases.small()
    calm = results["latency"].assign(n_positive=0, p50=np.nan, p90=np.nan, p99=np.nan, max=np.nan)
    none = [np.zeros_like(bins) for bins in results["histograms"]["histogram"]]
    quiet = results.with_tables(
        latency=calm, histograms=results["histograms"].assign(histogram=none)
    )
    assert 6 not in numbers_of(quiet)
    assert "No data waits." in Page(sections.build(quiet)).text


def test_names_from_users_are_text_and_nothing_else() -> None:
    nasty = '<script>alert("1")</script>&.json'
    results = report_cases.trace(name=nasty)
    html = sections.build(results)
    page = Page(html)
    assert page.tags["script"] == 1
    assert nasty in page.text


def test_experiment_names_are_escaped_in_figures() -> None:
    results = report_cases.small()
    nasty = "<b>&\"'"
    tables = {
        t: results[t].assign(experiment=nasty)
        for t in ("streams", "scores", "latency", "histograms", "pareto", "series")
    }
    config = results.config
    config["experiments"][0]["name"] = nasty
    run = dict(results.run) | {"config": config}
    renamed = replace(results.with_tables(**tables), run=run)
    assert f"Experiment {nasty}" in Page(sections.build(renamed)).text
    for content in render_all(renamed).values():
        ElementTree.fromstring(content)


def test_algorithms_beyond_the_papers_are_drawn_too() -> None:
    results = report_cases.paper()
    tables = {}
    for name in ("scores", "latency", "histograms", "pareto", "series"):
        table = results[name]
        better = table[table["algorithm"] == "MWF"].assign(algorithm="SR_inf")
        tables[name] = pd.concat([table, better], ignore_index=True)
    for draw in (
        scores_by_delta_figures.cbs_all,
        scores_by_delta_figures.rscore,
        fronts_figure.fronts,
    ):
        figure = draw(results.with_tables(**tables), 9)
        assert isinstance(figure, Figure)
        assert b">SR_inf</text>" in figure.standalone()


@pytest.mark.parametrize(("algorithm", "pixels"), [("SR_inf", 45), ("MWF+M+P", 74)])
def test_names_beside_curves_have_room(algorithm: str, pixels: float) -> None:
    """Widths as measured in a wide font, DejaVu Sans Bold of 12 pixels."""
    results = report_cases.paper()
    better = results["pareto"][results["pareto"]["algorithm"] == "MWF"].assign(algorithm=algorithm)
    pareto = pd.concat([results["pareto"], better], ignore_index=True)
    figure = scores_by_delta_figures.rscore(results.with_tables(pareto=pareto), 11)
    assert isinstance(figure, Figure)
    root = ElementTree.fromstring(figure.standalone())
    (name,) = (text for text in root.iter() if text.text == algorithm)
    assert float(name.attrib["x"]) + pixels <= float(root.attrib["viewBox"].split()[2])


def test_failed_expectations_come_first() -> None:
    results = report_cases.small()
    failed = results["validations"].assign(success=[True, False])
    text = Page(sections.build(results.with_tables(validations=failed))).text
    assert "1 of 2 expectations met" in text
    assert text.index("CBS is at least 0.") < text.index("One row per stream.")


def test_published_points_only_over_the_papers_setting() -> None:
    assert b"published by the authors" in files()["figure-12-pareto"]
    other = render_all(report_cases.paper(partitions=64))
    assert not any(b"published" in one.split(b"</style>")[1] for one in other.values())
