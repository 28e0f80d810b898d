"""Section on how fast the controller responds; published times are among the published figures."""

from __future__ import annotations

import math

from pipeline.experiments.live.results.controller_times import responses
from pipeline.experiments.live.results.live_study import Study
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.section import Cell, Field, Row, Section, Table, Values, text


def times(study: Study) -> Section:
    """Times of the controller's plans, and of its answers to deaths of consumers."""
    rows = [Row(one.name, one._asdict()) for one in responses(study.plans)]
    if study.deaths:
        rows.append(_deaths(study))
    note = "Of the controller's plans after the first iteration."
    return Section("Response times", tables=[Table("", "Time", _FIELDS, rows)], notes=[note])


def _deaths(study: Study) -> Row:
    """From when the end of each is known until all of its partitions are started elsewhere."""
    values = {"plans": len(study.deaths), "median": math.nan, "p90": math.nan}
    return Row("death of a consumer answered", values | {"largest": max(study.deaths)})


def _seconds(head: str, key: str) -> Field:
    def write(values: Values) -> Cell:
        unanswered = math.isinf(values[key])
        return Cell("never" if unanswered else numbers.seconds(values[key]))

    return Field(head, key, write)


_FIELDS = (
    text("number", "plans"),
    _seconds("median", "median"),
    _seconds("90 %", "p90"),
    _seconds("maximum", "largest"),
)
