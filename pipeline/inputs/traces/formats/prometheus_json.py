"""Answers of Prometheus' HTTP API, and of tools that speak it, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.traces import epochs
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import answer_remarks
from pipeline.inputs.traces.formats.json_content import RANGE, Samples
from pipeline.inputs.traces.rates import long_table
from pipeline.inputs.traces.rates.long_table import Labels, LongTable

FORM = 'an answer of Prometheus, {"status": "success", "data": {"result": […]}}'

_KEYS = frozenset({"status", "data", "result", "resultType"})
_TOO_MANY_POINTS = "exceeded maximum resolution"
_PARTIAL = re.compile(r"partial|no store|unavailable|timed? ?out|deadline|fetch|refused", re.I)
_SERIES = '{"metric": {…}, "values": [[time, "value"], …]}'


def is_answer(content: object) -> bool:
    """Whether content of a JSON file is one answer or several, with or without envelope."""
    if isinstance(content, list):
        return any(
            isinstance(item, Samples)
            or (isinstance(item, dict) and _is_envelope(item))
            or (isinstance(item, list) and any(isinstance(one, Samples) for one in item))
            for item in content
        )
    if isinstance(content, Samples):
        return True
    return isinstance(content, dict) and not _KEYS.isdisjoint(content)


def _is_envelope(item: dict[str, Any]) -> bool:
    """Whether an object in a list is an answer; a topic may be named ``data`` too."""
    data = item.get("data")
    kind = data.get("resultType") if isinstance(data, dict) else item.get("resultType")
    return isinstance(item.get("status"), str) or isinstance(kind, str)


def table(path: Path, documents: Sequence[object], values: str | None) -> LongTable:
    """Series in the documents of a JSON file, for each of which `is_answer` holds.

    Raises InputError if an answer is an error, all are empty, or series are not valid.
    """
    answers = [answer for document in documents for answer in _answers(document)]
    listed = [item for answer in answers for item in _result(path, answer)]
    if not listed:
        raise InputError(
            f"{path}: the answer of Prometheus has no series; check metric, labels and time of the "
            f"query; {SEE}"
        )
    series, unit = _in_seconds(path, [_checked(path, item) for item in listed])
    forms = sorted({one.form for one in series})
    form = forms[0] if len(forms) == 1 else RANGE
    joined = list(_joined(series))
    return LongTable(
        path,
        form,
        *long_table.stacked([(one.times, one.values) for one in joined]),
        labels=[_labels(one.labels) for one in joined],
        kind=values,
        notes=(*unit, *_joined_answers(answers)),
        warnings=tuple(_warnings(answers)),
    )


def _answers(document: object) -> list[Any]:
    """The answers of a document: itself, or those that a tool such as ``jq -s`` put in a list."""
    if isinstance(document, list) and not any(isinstance(item, Samples) for item in document):
        return document
    return [document]


def _checked(path: Path, item: object) -> Samples:
    if isinstance(item, Samples):
        return item
    if isinstance(item, dict) and {"histogram", "histograms"} & set(item):
        raise InputError(
            f"{path}: series are native histograms; query a number of them, such as "
            f"histogram_count(rate(…)); {SEE}"
        )
    raise InputError(f"{path}: each series must be {_SERIES} (got {shown(item)}); {SEE}")


def _in_seconds(path: Path, series: list[Samples]) -> tuple[list[Samples], tuple[str, ...]]:
    """Series with times in seconds, as Prometheus has them, and a note if a tool changed them."""
    times = [float(time) for one in series for time in one.times[[0, -1] if len(one.times) else []]]
    if not times or max(times) < epochs.LARGEST_SECONDS:
        return series, ()
    try:
        unit = epochs.unit_of([min(times), max(times)])
    except epochs.UnitError as error:
        raise InputError(f"{path}: times {error}; {SEE}") from None
    scaled = [one._replace(times=one.times / epochs.UNITS[unit]) for one in series]
    return scaled, (epochs.note(unit, None),)


def _joined(series: Sequence[Samples]) -> Iterator[Samples]:
    """Series by labels: parts of one that follow each other in several answers are one."""
    parts: dict[tuple[tuple[str, str], ...], list[Samples]] = {}
    for one in series:
        parts.setdefault(tuple(sorted(one.labels.items())), []).append(one)
    for own in parts.values():
        times = np.concatenate([one.times for one in own])
        values = np.concatenate([one.values for one in own])
        samples = np.unique(np.stack([times, values], axis=1), axis=0)
        if len(own) == 1 or (np.diff(samples[:, 0]) == 0.0).any():
            yield from own
        else:
            yield own[0]._replace(times=samples[:, 0], values=samples[:, 1])


def _labels(labels: Mapping[str, str]) -> Labels:
    plain = {name: value for name, value in labels.items() if name != "__name__"}
    return Labels(labels.get("__name__", ""), plain)


def _joined_answers(answers: Sequence[Any]) -> Iterator[str]:
    """Whether there are several answers."""
    if len(answers) > 1 and any(isinstance(answer, dict) for answer in answers):
        yield f"{len(answers):,} answers are joined."


def _warnings(answers: Sequence[Any]) -> Iterator[str]:
    """What answers say about themselves, in sentences."""
    warnings = answer_remarks.of(answers, answer_remarks.WARNINGS)
    if any(map(_PARTIAL.search, warnings)):
        # Such warnings name stores by addresses, which readers of a report need not see.
        warnings = ()
        yield (
            "The answer is partial: some stores did not answer, so series or samples can be "
            "missing. Repeat the query."
        )
    elif warnings:
        yield (
            f"The answer has {len(warnings):,} warning{'s' * (len(warnings) != 1)}, so samples can "
            "be missing or wrong."
        )
    yield from answer_remarks.notes((*warnings, *answer_remarks.of(answers, answer_remarks.INFOS)))


def _result(path: Path, content: object) -> list[Any]:
    """The series of an answer."""
    if isinstance(content, Samples):
        return [content]
    if isinstance(content, dict) and content.get("status") == "error":
        _refuse(path, content)
    data = content.get("data") if isinstance(content, dict) and "data" in content else content
    result = data.get("result") if isinstance(data, dict) else data
    if not isinstance(result, list) or (result and not isinstance(result[0], dict | Samples)):
        kind = data.get("resultType") if isinstance(data, dict) else None
        got = f"result type {named(kind)}" if kind else shown(data)
        raise InputError(f"{path}: must be {FORM} with series (got {got}); {SEE}")
    return result


def _refuse(path: Path, answer: dict[str, Any]) -> None:
    """Raise the error that Prometheus answered with."""
    if _TOO_MANY_POINTS in str(answer.get("error")):
        raise InputError(
            f"{path}: Prometheus refused the query: a series can have at most 11,000 points; set a "
            f"longer step or a shorter time; {SEE}"
        )
    raise InputError(
        f"{path}: Prometheus answered with an error ({named(answer.get('errorType'))}); repeat the "
        f"query; {SEE}"
    )
