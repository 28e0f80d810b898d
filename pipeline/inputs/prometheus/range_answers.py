"""Answers of Prometheus to queries of a range: checks them, and makes arrays of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.base.errors import StageError
from pipeline.inputs.prometheus.time_range import TimeRange

Floats = NDArray[np.float64]
Answer = Mapping[str, Any]

MOST_SERIES = 10_000
"""Series of an answer."""


def check(answer: Answer, page: TimeRange) -> None:
    """Raise `StageError` unless an answer has the form of one of a range, and times of a page."""
    data = answer.get("data")
    result = data.get("result") if isinstance(data, dict) else None
    kind = data.get("resultType") if isinstance(data, dict) else None
    if not isinstance(result, list) or kind != "matrix":
        raise StageError("Prometheus has not answered with a matrix; check the address")
    if len(result) > MOST_SERIES:
        raise StageError(
            f"an answer can have at most {MOST_SERIES:,} series (got {len(result):,}); choose "
            "fewer topics"
        )
    for one in result:
        times = _times(one)
        if times is None or any(_is_other(time, page) for time in times):
            raise StageError("Prometheus has answered with samples that were not asked for")


def _is_other(time: float, page: TimeRange) -> bool:
    """Whether a page does not have a time; servers may change the step."""
    return not page.start <= time <= page.end or (time - page.start) % page.step != 0.0


def _times(series: object) -> list[float] | None:
    """Times of a series; None if it is none."""
    if not isinstance(series, dict) or not isinstance(series.get("metric"), dict):
        return None
    try:
        return [float(time) for time, value in series["values"] if float(value) is not None]
    except (KeyError, TypeError, ValueError):
        return None


def first_time(answer: Answer) -> float | None:
    """Time of the first sample; None without any."""
    firsts = (one["values"][0][0] for one in answer["data"]["result"] if one["values"])
    return min(firsts, default=None)


def labels_of(answer: Answer, *labels: str) -> Iterator[tuple[str, ...]]:
    """Values of some labels, of each series."""
    for one in answer["data"]["result"]:
        yield tuple(str(one["metric"].get(label, "")) for label in labels)


def values(
    answers: Iterable[Answer],
    time: TimeRange,
    columns: Mapping[tuple[str, ...], int],
    labels: Sequence[str],
) -> Floats:
    """``float64[T, P]``: values at the times of a range; NaN where there is none.

    columns: Place of each series, by the values of its labels; others are left out.
    """
    found = np.full((time.points, len(columns)), np.nan)
    for answer in answers:
        for one, key in zip(answer["data"]["result"], labels_of(answer, *labels), strict=True):
            if key not in columns or not one["values"]:
                continue
            samples = np.array(one["values"], dtype=np.float64)
            rows = np.rint((samples[:, 0] - time.start) / time.step).astype(np.int64)
            is_inside = (rows >= 0) & (rows < time.points)
            found[rows[is_inside], columns[key]] = samples[is_inside, 1]
    # Exporters write -1 where a group has committed nothing.
    return np.where(found < 0.0, np.nan, found)
