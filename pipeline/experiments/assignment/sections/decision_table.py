"""A decision for a terminal: sentences, and the algorithms by what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.experiments.assignment.sections import decision_text
from pipeline.experiments.assignment.sections.decision_text import CHOICE, FRONT

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from pipeline.experiments.assignment.results.decision import Decision, Option

MOST_SHOWN = 14
"""Rows that fit a screen, next to the answer; the front is always shown."""

HEADS = ("mean", "peak", "rebalances\n/day", "moving\n%", "moved\nC", "late\n%", "p90", "longest")
LEGEND = (
    f"{CHOICE} the choice, {FRONT} non-dominated; mean, peak: consumers; moved: load that moves "
    "per iteration, in full consumers C; late: data that waits; p90, longest: how long it waits."
)


def parts(decision: Decision, console: Console) -> Iterator[RenderableType]:
    """What to run, why, and the table."""
    said = decision_text.words(decision)
    yield Text(said.answer, "bold")
    for sentence in said.facts:
        yield Padding(Text(sentence), (0, 0, 0, 2))
    for place, sentence in enumerate(said.without_hot):
        yield Padding(Text(sentence), (0, 0, 0, 2 if place else 0))
    yield Text("What would change the answer:")
    for sentence in said.changes:
        yield Padding(Text(sentence), (0, 0, 0, 2))
    yield Text("")
    shown = chosen(decision)
    yield _table(decision, shown)
    left = len(decision.options) - len(shown)
    more = f" {left} more algorithms are in the report." if left else ""
    yield Text(LEGEND + more, "dim")


def chosen(decision: Decision) -> list[Option]:
    """The first rows, and those further down that the answer is about."""
    named = {one.algorithm for one in (decision.static, decision.tight) if one is not None}
    return [
        one
        for place, one in enumerate(decision.options)
        if place < MOST_SHOWN or one.on_front or one.algorithm in named
    ]


def _table(decision: Decision, options: Sequence[Option]) -> Table:
    table = plain_table()
    table.add_column("algorithm", no_wrap=True)
    for head in HEADS:
        table.add_column(head, justify="right", no_wrap=True)
    for one in options:
        table.add_row(
            f"{decision_text.mark(decision, one) or ' '} {one.algorithm}",
            *decision_text.option_cells(one),
            style="bold" if one is decision.best else "",
        )
    return table
