"""What a terminal prints of a run on autoscaling."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

from pipeline.experiments.autoscaling.sections.scaling_sections import written
from pipeline.reporting.sections import section_terminal
from pipeline.warehouse.runs.run_results import Results
from schemas import TABLES
from schemas.verdicts import EXACT, NOT_COMPARABLE, NOT_REPRODUCED
from tests.pipeline.experiments.autoscaling.trade_off_rows import AVERAGED, NO_EVENTS, results, row

pytestmark = pytest.mark.unit

LONG = "least_loaded_2:arrivals=burst:cooldown_s=10.0:decision_offset_s=0.08:heartbeat_s=3.0"


def lines(run: Results, width: int = 72) -> list[str]:
    text = io.StringIO()
    console = Console(file=text, width=width)
    console.print(section_terminal.shown(written(run), width))
    return [line.rstrip() for line in text.getvalue().splitlines() if line.strip()]


def plain(line: str) -> str:
    """A line without rules and columns."""
    return " ".join(line.replace("─", " ").split())


def figure(name: str, verdict: str, ours: str) -> dict[str, object]:
    where = {"its_workload": "W1, equal 5", "its_strategy": "Linear", "figure": name}
    return {
        **dict.fromkeys(column.name for column in TABLES["published_figures"].columns),
        **where,
        **{"location": "Table 2", "unit": "", "note": ""},
        **{"published": "25.5", "ours": ours, "verdict": verdict},
    }


def tables(run: Results, width: int = 72) -> list[str]:
    """What is printed of the experiments, without the words on each."""
    output = lines(run, width)
    start = next(i for i, line in enumerate(output) if line.startswith("calm ──"))
    named = [plain(line) for line in output[start:]]
    words = [i for i, line in enumerate(named) if line.startswith("flash crowd, ")]
    drop = {n for i in words for n in range(i, named.index("On the front", i))}
    return [line for i, line in enumerate(named) if i not in drop and line]


NOTE = ["Means over replicates with 95 % intervals; actions are means, p99 is the"]
NOTE += ["median over replicates and max their maximum."]


def test_the_front_is_shown_with_intervals_and_the_rest_counted() -> None:
    """The best service first, whatever the order of the rows; each experiment has its own table."""
    run = results(
        row("linear", 95.0, 20.0, 60.25),
        row("keda_hpa", 80.0, 25.0, 20.0, on_front=False),
        row("ds2", 70.0, 21.0, 20.0, on_front=False),
        row("constant:initial_replicas=4", 100.0, 1050.0, 0.0, width=0.0),
        row("headroom", 99.0, 30.0, 40.0, experiment="busy", workload="ramp, 4 partitions, skew"),
        row("ds2", 70.0, 31.0, 20.0, experiment="busy", on_front=False),
    )
    head = ["On the front", "Strategy SLA % replica-min moved"]
    assert tables(run) == [
        "calm",
        *head,
        "constant:initial_replicas=4 100 1,050.0 0.0",
        "linear 95.00 20.0 60.2",
        "94.50–95.50 19.5–20.5 59.8–60.8",
        "2 dominated",
        *NOTE,
        "busy",
        *head,
        "headroom 99.00 30.0 40.0",
        "98.50–99.50 29.5–30.5 39.5–40.5",
        "1 dominated",
        *NOTE,
    ]


def test_the_answer_comes_before_the_tables() -> None:
    words = [plain(line) for line in lines(results(row("linear", 95.0, 20.0, 60.0)))]
    assert words[0].startswith("linear, the only strategy in every experiment that scales the")


def test_references_that_know_rates_are_no_strategies_to_run() -> None:
    """They are on no front and dominate nothing; nor does what falls behind for ever."""
    no = {"width": 0.0, "on_front": False, "eligible": False}
    run = results(
        row("overprovision", 100.0, 10.0, 0.0, **no),
        row("optimal:capacity=200.0", 100.0, 9.0, 5.0, **no),
        row("constant:initial_replicas=1", 1.0, 2.0, 0.0, **no),
        row("linear", 95.0, 20.0, 60.0, width=0.0),
        row("ds2", 90.0, 25.0, 60.0, width=0.0, on_front=False),
    )
    assert tables(run)[3:] == [
        "linear 95.00 20.0 60.0",
        "1 dominated, 1 falls behind for ever",
        "2 that must know rates beforehand",
        *NOTE,
    ]


def test_a_workload_without_events_has_no_service() -> None:
    line = tables(results(row("linear", 0.0, 3.0, 0.0, 0.0, **NO_EVENTS)))[3]
    assert line == "linear – 3.0 0.0"


def test_one_stream_has_no_interval() -> None:
    ends: dict[str, Any] = {f"{name}_{end}": None for name in AVERAGED for end in ("low", "high")}
    assert tables(results(row("linear", 95.0, 20.0, 60.0, **ends)))[3:] == [
        "linear 95.00 20.0 60.0",
        *NOTE,
    ]


@pytest.mark.parametrize("width", [72, 80, 160])
def test_long_names_are_folded_and_numbers_are_whole(width: int) -> None:
    shown = lines(results(row(LONG, 98.75, 402.9, 1234.0)), width)
    assert max(map(len, shown)) <= width
    text = " ".join(shown)
    assert "…" not in text
    for number in ("98.75", "98.25–99.25", "402.4–403.4", "1,233.5–1,234.5"):
        assert number in text
    start = next(i for i, line in enumerate(shown) if line.startswith("Strategy")) + 2
    names = [line.partition("  ")[0] for line in shown[start : -2 if width < 160 else -1]]
    assert "".join(names) == LONG


def test_published_figures_that_can_be_compared_have_verdicts() -> None:
    rows = [
        figure("replica-minutes", EXACT, "25.517"),
        figure("scalings up", NOT_REPRODUCED, "4"),
        figure("events within 0.5 s", NOT_COMPARABLE, "99.275"),
    ]
    run = results(row("linear", 95.0, 20.0, 60.0))
    output = lines(run.with_tables(published_figures=pd.DataFrame(rows)), 100)
    start = next(i for i, line in enumerate(output) if line.startswith("published figures "))
    table = [plain(line) for line in output[start + 3 :]]
    assert table[0] == "Table 2, W1, equal 5, Linear: replica-minutes 25.5 25.517 exact"
    assert table[1] == "Table 2, W1, equal 5, Linear: scalings up 25.5 4 not reproduced"
    assert table[2] == "Published figures: 1 exact and 1 not reproduced."
    assert table[3] == "1 more cannot be compared with this run; see the report."
    assert "99.275" not in "".join(table)


def test_figures_of_which_none_can_be_compared_are_not_announced() -> None:
    rows = pd.DataFrame([figure("events within 0.5 s", NOT_COMPARABLE, "99.275")])
    run = results(row("linear", 95.0, 20.0, 60.0))
    assert lines(run.with_tables(published_figures=rows)) == lines(run)
