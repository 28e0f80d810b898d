"""Published figures of a run with verdicts, as report, terminal and MLflow show them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from pipeline.base.text.plain_table import plain_table
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.printed_value import with_unit
from schemas.verdicts import CONFIRMED, MEANINGS, NOT_COMPARABLE

if TYPE_CHECKING:
    from pipeline.warehouse.runs.run_results import Results

ROOMY = 120
"""Width from which intervals have a column of their own."""

_SIGNS = {"+": "ours is higher", "-": "ours is lower"}


class Shown(NamedTuple):
    """A stored figure, in words."""

    key: str
    figure: str
    published: str
    ours: str
    our_value: float
    interval: str
    """The 95 % interval, or a dash."""
    verdict: str
    note: str


class PublishedSection(NamedTuple):
    """All figures of a run, in the order of the papers."""

    comparable: list[Shown]
    incomparable: list[Shown]

    @classmethod
    def of(cls, figures: Sequence[Shown]) -> PublishedSection:
        """Figures of any papers, in their order."""
        comparable = [one for one in figures if one.verdict != NOT_COMPARABLE]
        return cls(comparable, [one for one in figures if one.verdict == NOT_COMPARABLE])

    @property
    def every(self) -> list[Shown]:
        """Figures that can be compared with this run, then the others."""
        return [*self.comparable, *self.incomparable]

    @property
    def tally(self) -> dict[str, int]:
        """Number of figures by verdict, best first, of those that occur."""
        return tally(one.verdict for one in self.every)


NOTHING = PublishedSection([], [])
"""No figures: a run on somebody's own trace."""


def of_run(results: Results, *named: str) -> PublishedSection:
    """What a run stored in `published_figures`.

    Parameters
    ----------
    named
        Columns that the label of a figure needs besides what is measured.
    """
    rows = results["published_figures"].to_dict("records")
    return PublishedSection.of([_shown(row, named) for row in rows])


def _shown(row: Mapping[Any, Any], named: Sequence[str]) -> Shown:
    where = ", ".join(filter(None, (row[column] for column in named)))
    return Shown(
        key=row["figure_key"],
        figure=": ".join(filter(None, (where, row["figure"]))),
        published=_whole(row["published"], row["unit"]),
        ours=_whole(row["ours"], row["unit"]),
        our_value=_known(row["our_value"], math.nan),
        interval=_known(row["interval_text"], numbers.MISSING),
        verdict=row["verdict"],
        note="; ".join(filter(None, (row["note"], _SIGNS.get(row["difference"], "")))),
    )


def _known(value: Any, otherwise: Any) -> Any:
    """A stored value; frames have null as None or NaN."""
    return otherwise if value is None or value != value else value


def _whole(text: str, unit: str) -> str:
    """A stored text with its unit; some papers' figures are stored with it."""
    has_unit = f"{numbers.SPACE}{unit}" in text or text == numbers.MISSING
    return text if has_unit else with_unit(text, unit)


def tally(verdicts: Iterable[str]) -> dict[str, int]:
    """Number of figures by verdict, best first, of those that occur."""
    counts = Counter(verdicts)
    return {kind: counts[kind] for kind in MEANINGS if kind in counts}


def metrics(counts: Mapping[str, int], prefix: str = "verdicts") -> dict[str, float]:
    """A tally as metrics of MLflow."""
    return {f"{prefix}.{kind.replace(' ', '_')}": float(n) for kind, n in counts.items()}


def sentence(counts: Mapping[str, int]) -> str:
    """A tally in words; empty without figures."""
    named = [f"{n} {kind}" for kind, n in counts.items()]
    return f"Published figures: {numbers.listing(named)}." if named else ""


def reproduced(section: PublishedSection) -> str:
    """How many figures come out as published, in a sentence; empty without figures."""
    n, rest = len(section.comparable), len(section.incomparable)
    if not n:
        return f"None of {rest} published figures can be compared with this run." if rest else ""
    counts = tally(one.verdict for one in section.comparable)
    confirmed = sum(counts.get(kind, 0) for kind in CONFIRMED)
    named = numbers.listing([f"{count} {kind}" for kind, count in counts.items()])
    more = f"; {rest} more cannot be compared with this run" if rest else ""
    verb = "comes" if confirmed == 1 else "come"
    return f"{confirmed} of {n} published figures {verb} out as published: {named}{more}."


def for_terminal(section: PublishedSection, width: int) -> Iterator[RenderableType]:
    """Figures that can be compared, with verdicts; the others are counted."""
    if not section.comparable:
        return
    yield Text("")
    yield Rule(Text("published figures", "bold"), align="left", style="dim")
    yield _table(section.comparable, width >= ROOMY)
    yield Text(sentence(tally(one.verdict for one in section.comparable)), "bold")
    if section.incomparable:
        rest = len(section.incomparable)
        yield Text(f"{rest} more cannot be compared with this run; see the report.")


def _table(figures: list[Shown], roomy: bool) -> Table:
    own_column = roomy and any(one.interval != numbers.MISSING for one in figures)
    table = plain_table()
    table.add_column("figure", overflow="fold")
    for head in ("published", "ours", *(["95 % interval"] if own_column else [])):
        table.add_column(head, justify="right", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for one in figures:
        # The value in the authors' files, next to the printed number, is in the report.
        published = one.published if roomy else re.sub(r"\s*\(.*\)", "", one.published)
        ours = [one.ours, one.interval]
        if not own_column:
            ours = ["\n".join(text for text in ours if text != numbers.MISSING)]
        style = "" if one.verdict in CONFIRMED else "bold"
        table.add_row(one.figure, published, *ours, one.verdict, style=style)
    return table
