"""A column that is the sum of the others: no partition, though it stands among partitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.model import Floats

_NUMBERED = re.compile(r"(?:.*[/:#_ -])?[0-9]{1,6}|.*\bpartition\W*[0-9]+\W.*", re.IGNORECASE)
_SUM = re.compile(
    r"\W*(?:(?:grand|the|rate|topic|topics|partitions?) )*"
    r"(?:total|sum|all|overall|summe|gesamt|somme|suma|totale?)"
    r"(?: (?:of|all|the|rate|topics?|partitions?))*\W*",
    re.IGNORECASE,
)
_OF_TOPIC = re.compile(r"(.*?)[/:#_ -]+[0-9]{1,6}")
_SUM_WORDS = frozenset(
    {
        "all", "gesamt", "grand", "of", "overall", "partition", "partitions", "rate", "somme",
        "sum", "suma", "summe", "the", "topic", "topics", "total", "totale",
    }
)  # fmt: skip
_ROWS = 5
"""Different sums that are no chance where no name tells."""

_EXACT, _ROUNDED = 1e-6, 0.05
"""Relative difference of a sum, also where cells are rounded to two digits."""


def is_numbered(name: str) -> bool:
    """Whether a name is one of a partition, such as ``orders/0``, ``orders-12`` or ``3``.

    >>> is_numbered("orders/0"), is_numbered("Value"), is_numbered('{partition="0", topic="a"}')
    (True, False, True)
    """
    return _NUMBERED.fullmatch(name) is not None


def place(names: Sequence[str], cells: Floats, is_rounded: bool = False) -> int | None:
    """Index of a column that is the sum of the others, or of its topic's; None without one.

    cells: ``float64[N, P]``, NaN where empty.
    is_rounded: Whether cells are rounded, as a panel shows them.
    """
    numbered = [is_numbered(name) for name in names]
    tolerance = _ROUNDED if is_rounded else _EXACT
    total = np.nansum(cells, axis=1)
    for column, name in enumerate(names):
        if len(names) < 2 or numbered[column]:
            continue
        if not _is_sum(cells[:, column], total - cells[:, column], tolerance):
            continue
        varies = len(np.unique(total[~np.isnan(cells[:, column])])) >= _ROWS
        if _is_named(name) or (len(names) >= 3 and (any(numbered) or varies)):
            return column
    return _of_topic(names, cells, tolerance) if any(numbered) else None


def _of_topic(names: Sequence[str], cells: Floats, tolerance: float) -> int | None:
    """Index of a column with a topic's name that is the sum of its numbered partitions."""
    members: dict[tuple[str, ...], list[int]] = {}
    for column, name in enumerate(names):
        if match := _OF_TOPIC.fullmatch(name):
            members.setdefault(_topic_words(match[1]), []).append(column)
    for column, name in enumerate(names):
        own = () if is_numbered(name) else members.get(_topic_words(name), ())
        if len(own) and _is_sum(cells[:, column], np.nansum(cells[:, own], axis=1), tolerance):
            return column
    return None


def _topic_words(name: str) -> tuple[str, ...]:
    """Words of a name but those that say that it is a sum."""
    words = re.split(r"[\W_]+", name.casefold())
    return tuple(word for word in words if word and word not in _SUM_WORDS)


def refuse(path: Path, names: Sequence[str], cells: Floats, in_columns: bool) -> None:
    """Raise `InputError` if a column of the user's own file is the sum of others.

    in_columns: Whether the file has a column per partition, after one of times.
    """
    column = place(names, cells)
    if column is None:
        return
    what = named(names[column])
    subject = f"column {column + 2:,} ({what})" if in_columns else f"partition {what}"
    raise InputError(
        f"{path}: {subject} is the sum of {_summed(cells, column)}; "
        f"remove {'it' if in_columns else 'its rows'}"
    )


def _summed(cells: Floats, column: int) -> str:
    """What a column is the sum of, in words."""
    own = cells[:, column]
    is_whole = _is_sum(own, np.nansum(cells, axis=1) - own, _ROUNDED)
    return "the others" if is_whole else "its topic"


def refuse_names(path: Path, names: Sequence[str]) -> None:
    """Raise `InputError` if one of several columns has the name of a sum that it is not."""
    name = next((name for name in names if len(names) > 1 and _is_named(name)), None)
    if name is not None:
        raise InputError(
            f"{path}: column {named(name)} has the name of a sum, but is not the sum of the "
            f"others; remove it; {SEE}"
        )


def _is_named(name: str) -> bool:
    return not is_numbered(name) and _SUM.fullmatch(name) is not None


def without(names: Sequence[str], cells: Floats, column: int) -> tuple[NDArray[np.int64], str]:
    """Indexes of the other columns, and a note."""
    others = np.array([place for place in range(len(names)) if place != column])
    summed = _summed(cells, column)
    return others, f"Column {named(names[column])} is the sum of {summed}, so it is left out."


def _is_sum(own: Floats, others: Floats, tolerance: float) -> bool:
    present = ~np.isnan(own)
    close = np.isclose(own[present], others[present], rtol=tolerance, atol=0.0)
    return bool(close.all() and own[present].any())
