"""What operators read: what has moved, by name and with both values."""

from __future__ import annotations

import io
import math
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

from pipeline.reporting.regression import comparison_text, outcome
from pipeline.reporting.regression.baseline_candidates import Promotion
from pipeline.reporting.regression.outcome import Outcome

pytestmark = pytest.mark.unit

PROMOTION = Promotion("b", datetime(2026, 11, 21, 6, tzinfo=UTC), "ada", "ties fall otherwise")


def row(verdict: str, **changes: Any) -> dict[str, Any]:
    """A row of `differences`."""
    fields = {
        "baseline_run_id": "a",
        "experiment": "tradeoff",
        "delta": 5.0,
        "algorithm": "MWF",
        "metric": "cbs",
        "value": 0.118,
        "baseline_value": 0.118 if verdict == "same" else 0.25,
        "low": None if verdict == "same" else 0.2,
        "high": None if verdict == "same" else 0.3,
        "expected": "interval",
        "verdict": verdict,
    }
    return fields | changes


RED = Outcome("b", "a", [row("same"), row("changed", value=0.26), row("moved", algorithm="NF")])


def shown(
    comparison: Outcome, most: int | None = comparison_text.LARGEST, width: int = 120
) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(comparison_text.table(comparison, most))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_what_has_moved_comes_first_and_what_is_equal_is_counted() -> None:
    lines = shown(RED)
    assert lines[0].startswith("Run b compared with a: 1 moved, 1 changed, 1 same (")
    assert "code" in " ".join(lines[:3])
    verdicts = [line.split()[0] for line in lines if line.startswith(("moved", "changed", "same"))]
    assert verdicts == ["moved", "changed"]
    (moved,) = [line for line in lines if line.startswith("moved")]
    for word in ("tradeoff", "5", "NF", "cbs", "0.118", "0.25", "0.2 to 0.3"):
        assert word in moved.split("  ") or word in moved


def test_a_message_names_what_has_moved_with_both_values_and_the_remedy() -> None:
    message = comparison_text.listing(RED).splitlines()
    assert message[0].startswith("Run b is published, but 1 value has moved ")
    assert message[1] == "  tradeoff δ=5 NF cbs: 0.118, baseline 0.25 (expected 0.2 to 0.3)"
    assert message[2].endswith("groupscale promote b --reason …")
    assert len(message) == 3


def test_a_long_list_is_cut_and_says_where_the_rest_is() -> None:
    many = Outcome("b", "a", [row("moved")] * (comparison_text.LISTED + 3))
    message = comparison_text.listing(many).splitlines()
    assert len(message) == comparison_text.LISTED + 3
    assert message[-2] == "  and 3 more: groupscale compare b --all"
    assert shown(many)[-1] == "20 of 43 differences; 23 more: groupscale compare b --all"
    assert shown(many, None)[-1].startswith("moved")


def test_the_largest_differences_come_first() -> None:
    """Relative to the baseline, and within their verdict."""
    rows = [row("moved", metric=f"m{n}", value=1.0 + n, baseline_value=1.0) for n in (1, 3, 2)]
    rows += [row("changed", metric="c", value=900.0, baseline_value=1.0), row("new", metric="n")]
    rows[0] |= {"value": -50.0, "baseline_value": 100.0}
    lines = [line.split() for line in shown(Outcome("b", "a", rows))]
    listed = [words for words in lines if words and words[0] in comparison_text.ORDER]
    assert [words[4] for words in listed] == ["m3", "m2", "m1", "n", "c"]


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_value_is_cut(width: int, is_terminal: bool) -> None:
    exact = row("moved", expected="equal", algorithm="package.module:assign", experiment="e" * 40)
    comparison = Outcome("b", "a", [exact, row("changed")])
    console = Console(
        file=io.StringIO(), width=width, color_system=None, force_terminal=is_terminal
    )
    console.print(comparison_text.table(comparison))
    assert isinstance(console.file, io.StringIO)
    text = "".join(line.strip() for line in console.file.getvalue().splitlines())
    assert "…" not in text
    for part in ("package.module:assign", "e" * 40, "equal", "0.118", "0.2 to 0.3"):
        assert part.replace(" ", "") in text.replace(" ", "")


@pytest.mark.parametrize(
    ("value", "other", "message"),
    [
        (0.118, 0.25, ("0.118", "0.25")),
        (math.nextafter(0.1, 1.0), 0.1, ("0.10000000000000002", "0.10000000000000001")),
        (math.inf, 3.0, ("inf", "3")),
        (None, 3.0, ("–", "3")),
        (math.nan, 3.0, ("–", "3")),
    ],
)
def test_values_that_differ_are_told_apart(
    value: float | None, other: float, message: tuple[str, str]
) -> None:
    assert comparison_text.pair(value, other) == message


def test_traces_have_no_delta_and_single_streams_no_interval() -> None:
    alone = row("moved", experiment="trace", delta=math.nan, low=None, high=None)
    message = comparison_text.listing(Outcome("b", "a", [alone]))
    assert "trace MWF cbs: 0.118, baseline 0.25 (no interval: fewer than 2 streams)" in message


def test_a_run_without_a_baseline_says_so() -> None:
    alone = Outcome("b", None)
    assert not alone.is_red
    assert alone.regression == "no baseline"
    assert shown(alone) == ["Run b has no baseline to compare with yet."]


def test_an_accepted_run_is_not_red_and_says_who_accepted_it() -> None:
    accepted = Outcome("b", "a", RED.rows, PROMOTION)
    assert RED.is_red
    assert not accepted.is_red
    assert shown(accepted)[-1] == "Accepted by ada on 2026-11-21 06:00 UTC: ties fall otherwise"


def test_runs_of_different_configurations_are_marked() -> None:
    lines = shown(Outcome("b", "a", RED.rows, alike=False))
    assert any(line.startswith("The configurations differ") for line in lines)


def test_an_outcome_is_that_of_the_rows_in_the_table() -> None:
    frame = pd.DataFrame(RED.rows)
    comparison = outcome.of_frame("b", frame)
    assert (comparison.baseline_run_id, comparison.regression) == ("a", "moved")
    assert comparison.counts == {"same": 1, "changed": 1, "moved": 1}
    assert comparison_text.listing(comparison) == comparison_text.listing(RED)
    assert outcome.of_frame("b", frame[:2]).regression == "none"
    assert outcome.of_frame("b", pd.DataFrame()).regression == "no baseline"


def test_names_give_terminals_no_commands() -> None:
    lines = shown(Outcome("b", "a", [row("moved", experiment="x\x1b[31m", algorithm="\u202ey")]))
    assert any("x�[31m" in line and "�y" in line for line in lines)
    assert all(line.isprintable() for line in lines)
