"""The table of docs/certainty-table.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from tools.bench.certainty.stated_weeks import DAYS, FRESH_WEEKS, THRESHOLDS, StatedWeek

_HEAD = """# How well the stated chance is kept

`make bench-certainty` wrote this page. {workloads} generated workloads of six families are recorded
for 1 to 28 days. From the recording alone, the model states the chance that a group keeps the
objective (99 % within 30 s) in the next week. Then {weeks} fresh weeks of the same process show how
often it does. Before any days are recorded, the model assumes that they differ by 20 %, and this
counts as much as four recorded differences. These numbers were set on three families (diurnal,
drifting, nightly batch) and only checked on the other three. That successive days may resemble each
other was added after a look at all six, so `correlated days` is no blind check of it.

- **50, 80, 95 %**: stated → kept, of the smallest constant group whose chance reaches this.
- **cost**: of that group at 95 %, over the cost of the smallest that keeps the objective in at
  least 95 % of the fresh weeks (median).
- **all kinds**, **their cost**: the same of the cheapest candidate at 95 % among constant groups
  and groups that follow the load.
- **interval**: fresh weeks in which the cost of a following group is within its interval at 95 %.

Below 7 days `recommend` shows no percentage. The rows show how safe its choice is.
"""

_COLUMNS = ("50 %", "80 %", "95 %", "cost", "all kinds", "their cost", "interval")


def page(rows: Sequence[StatedWeek], workloads: int) -> str:
    """The page as Markdown."""
    parts = [_HEAD.format(workloads=workloads, weeks=FRESH_WEEKS)]
    for title, held_out in (("Families held out", True), ("Families for setting", False)):
        parts.append(_by_days(title, [row for row in rows if row.held_out == held_out]))
    parts += [_by_days("All families", rows), _by_family(rows)]
    return "\n".join(parts)


def write(rows: Sequence[StatedWeek], workloads: int, file: Path) -> None:
    """Write the page."""
    file.write_text(page(rows, workloads), encoding="utf-8")


def _by_days(title: str, rows: Sequence[StatedWeek]) -> str:
    each = [(str(days), [row for row in rows if row.days == days]) for days in DAYS]
    return _table(f"## {title}", "days", each)


def _by_family(rows: Sequence[StatedWeek]) -> str:
    long = [row for row in rows if row.days >= 7]
    names = dict.fromkeys(row.family for row in rows)
    each = [(name, [row for row in long if row.family == name]) for name in names]
    return _table("## By family, from 7 days on", "family", each)


def _table(title: str, first: str, each: Iterable[tuple[str, Sequence[StatedWeek]]]) -> str:
    lines = [title, "", f"| {first} | {' | '.join(_COLUMNS)} |", "|---" * 8 + "|"]
    lines += [f"| {name} | {' | '.join(_cells(rows))} |" for name, rows in each if rows]
    return "\n".join(lines) + "\n"


def _cells(rows: Sequence[StatedWeek]) -> list[str]:
    stated, kept = (np.array([getattr(row, name) for row in rows]) for name in ("stated", "kept"))
    pairs = [_pair(stated[:, i].mean(), kept[:, i].mean()) for i in range(len(THRESHOLDS))]

    def values(name: str) -> np.ndarray:
        return np.array([getattr(row, name) for row in rows])

    return [
        *pairs,
        f"{np.median(values('constant_cost')):.2f}",
        _pair(values("chosen_stated").mean(), values("chosen_kept").mean()),
        f"{np.median(values('chosen_cost')):.2f}",
        f"{100.0 * values('covered').mean():.0f} %",
    ]


def _pair(stated: float, kept: float) -> str:
    return f"{100.0 * stated:.0f} → {100.0 * kept:.0f}"
