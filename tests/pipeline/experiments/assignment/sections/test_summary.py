"""What a terminal prints of a run, and at its end."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from pipeline.experiments.assignment.sections.assignment_sections import written
from pipeline.experiments.assignment.sections.score_tables import latencies
from pipeline.reporting.sections import numbers, published_section, section_terminal
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import MEANINGS, NOT_COMPARABLE
from tests.pipeline.experiments.assignment import report_cases

pytestmark = pytest.mark.unit

WIDTHS = [80, 100, 160]
FRAMES: dict[str, Callable[[], Results]] = {
    "paper": report_cases.paper,
    "trace": report_cases.trace,
    "small": report_cases.small,
}


def printed(results: Results, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None, record=True)
    console.print(section_terminal.shown(written(results), width))
    return console.export_text()


@cache
def shown_of(name: str, width: int) -> str:
    return printed(FRAMES[name](), width)


def shown(results: str | Results, width: int) -> list[str]:
    """Lines of a run, or of one of the frames by its name."""
    text = shown_of(results, width) if isinstance(results, str) else printed(results, width)
    return [line.rstrip() for line in text.splitlines()]


def cells(line: str) -> list[str]:
    return line.replace("\N{NO-BREAK SPACE}", "~").split()


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", FRAMES)
def test_lines_fit_and_numbers_are_whole(name: str, width: int) -> None:
    lines = shown(name, width)
    assert max(len(line) for line in lines) <= width
    assert "…" not in "".join(lines)


def test_several_deltas_have_a_table_per_metric() -> None:
    lines = shown("paper", 80)
    heads = [line for line in lines if cells(line)[:4] == ["Algorithm", "δ", "=", "0"]]
    assert len(heads) == 3
    titles = [
        line for line in lines if line.startswith(("CBS: ", "mean Rscore: ", "mean consumers"))
    ]
    assert len(titles) >= 3
    cbs = lines.index(next(line for line in lines if line.startswith("CBS: ")))
    mwf = next(line for line in lines[cbs:] if line.startswith("MWF "))
    scores = FRAMES["paper"]()["scores"].query("algorithm == 'MWF' and experiment == 'tradeoff'")
    means = scores.groupby("delta")["cbs"].mean()
    assert cells(mwf)[1:] == [f"{100 * value:.2f}" for value in means]


def test_wide_terminals_have_tables_side_by_side() -> None:
    narrow, wide = shown("paper", 80), shown("paper", 160)
    assert len(wide) < len(narrow)
    assert any("CBS: " in line and "mean Rscore: " in line for line in wide)


def test_one_delta_has_a_table_of_scores_and_one_of_latencies() -> None:
    lines = shown("small", 80)
    assert lines.count("δ = 10") == 2
    scores, latency = (line for line in lines if line.startswith("Algorithm"))
    assert all(head in scores for head in ("CBS %", "Rscore", "consumers"))
    assert all(head in latency for head in ("delayed %", "p50 s", "p90 s", "p99 s", "max s"))


def test_a_trace_has_one_table_and_the_published_latencies() -> None:
    lines = shown("trace", 80)
    assert any(line.startswith("trace ──") for line in lines)
    assert any("MWF " in line for line in lines)
    assert any("217.33" in line and "exact" in line for line in lines)


def test_what_does_not_reproduce_is_said_so() -> None:
    results = FRAMES["trace"]()
    latency = results["latency"].assign(p90=results["latency"]["p90"] * 2)
    lines = shown(report_cases.judged(results.with_tables(latency=latency)), 160)
    assert any("kd_15" in line and "not reproduced" in line for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_verdict_shows_the_interval_that_it_rests_on(width: int) -> None:
    comparable = published_section.of_run(FRAMES["paper"]()).comparable
    intervals = {one.interval for one in comparable} - {numbers.MISSING}
    assert len(intervals) > 1
    shown_text = "".join(shown_of("paper", width).split())
    for interval in intervals:
        assert "".join(interval.split()) in shown_text


@pytest.mark.parametrize(("cbs", "explained"), [(-0.1, True), (0.1, False)])
def test_a_negative_cbs_is_explained(cbs: float, explained: bool) -> None:
    results = FRAMES["small"]()
    pareto = results["pareto"].assign(cbs=cbs)
    text = printed(results.with_tables(pareto=pareto), 80)
    assert ("negative CBS" in text) == explained


def test_figures_that_the_run_says_nothing_about_are_counted() -> None:
    assert not any("published figures" in line for line in shown("small", 80))
    assert any("more cannot be compared" in line for line in shown("trace", 80))


@pytest.mark.parametrize("width", WIDTHS)
def test_verdicts_are_counted_below_their_table(width: int) -> None:
    counts = published_section.of_run(FRAMES["paper"]()).tally
    (line,) = re.findall(r"Published figures: ([^.]*)\.", shown_of("paper", width))
    kinds = [kind for kind in MEANINGS if kind in counts and kind != NOT_COMPARABLE]
    assert len(kinds) > 1
    assert re.split(", | and ", " ".join(line.split())) == [f"{counts[k]} {k}" for k in kinds]


def many_deltas(n: int) -> Results:
    results = FRAMES["small"]()
    deltas = [float(delta) for delta in range(n)]
    more = {
        name: pd.concat([results[name].assign(delta=delta) for delta in deltas])
        for name in ("scores", "latency", "pareto")
    }
    return results.with_tables(**more)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_more_deltas_than_fit_are_split(width: int) -> None:
    lines = shown(many_deltas(40), width)
    assert max(len(line) for line in lines) <= width
    heads = " ".join(line for line in lines if "δ = " in line)
    # CBS, Rscore, consumers and latency.
    assert all(f" δ = {delta} ".strip() in heads for delta in range(40))
    assert heads.count("δ = 39") == 4


def test_latencies_without_end_or_delay() -> None:
    results = FRAMES["small"]()
    latency = results["latency"].copy()
    latency["max"] = np.inf
    latency.loc[latency["algorithm"] == "NF", ["n_positive", "n_samples"]] = 0
    latency.loc[latency["algorithm"] == "NF", ["p50", "p90", "p99", "max"]] = np.nan
    lines = shown(results.with_tables(latency=latency), 80)
    lines = lines[lines.index("Latency") :]
    nf = next(line for line in lines if line.startswith("NF "))
    assert cells(nf)[-5:] == ["–", "0", "0", "0", "0"]
    mwf = next(line for line in lines if line.startswith("MWF "))
    assert cells(mwf)[-1] == "∞"


def skewed() -> Results:
    """Three streams of different length: the share of all samples is not the median of shares."""
    results = report_cases.small(replicates=3)
    latency = results["latency"].copy()
    stream = latency["replicate"].to_numpy()
    latency["n_samples"] = np.array([100_000, 300_000, 400_000])[stream]
    latency["n_positive"] = np.array([2_000, 270_000, 20_000])[stream]
    return results.with_tables(latency=latency)


def test_delayed_is_one_figure_in_terminal_and_report() -> None:
    """292,000 of 800,000 samples; the median over the streams would be 5 %."""
    results = skewed()
    expected = "36.50"
    (experiment,) = latencies(results)
    (table,) = experiment.sections[0].tables
    (field,) = (field for field in table.fields if field.head == "delayed %")
    in_report = {row.name: field.write(row.values).text for row in table.rows}
    assert set(in_report) == set(results["latency"]["algorithm"])
    assert set(in_report.values()) == {expected}
    lines = shown(results, 160)
    lines = lines[lines.index("Latency") :]
    head = next(line for line in lines if "delayed %" in line)
    end = head.index("delayed %") + len("delayed %")
    in_terminal = {
        cells(line)[0]: line[:end].split()[-1]
        for line in lines
        if cells(line) and cells(line)[0] in in_report
    }
    assert in_terminal == in_report


def test_a_run_without_latencies() -> None:
    results = FRAMES["small"]()
    lines = shown(results.with_tables(latency=results["latency"].iloc[:0]), 80)
    assert any(line.startswith("MWF ") for line in lines)
    assert "p90" not in "".join(lines)
