"""Answers of Prometheus' HTTP API, and of tools that speak it, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipeline.errors import InputError
from pipeline.text.quoting import named, shown
from pipeline.traces import series_trace
from pipeline.traces.json_content import Samples
from pipeline.traces.model import Trace
from pipeline.traces.series_trace import SEE, Labelled, Source

FORM = 'an answer of Prometheus, {"status": "success", "data": {"result": […]}}'

_KEYS = frozenset({"status", "data", "result", "resultType"})
_TOO_MANY_POINTS = "exceeded maximum resolution"


def is_answer(content: object) -> bool:
    """Whether content of a JSON file is an answer, with or without its envelope."""
    if isinstance(content, list):
        return any(isinstance(item, Samples) for item in content)
    if isinstance(content, Samples):
        return True
    return isinstance(content, dict) and not _KEYS.isdisjoint(content)


def trace(path: Path, content: object, values: str | None) -> Trace:
    """A trace of the content of a JSON file for which `is_answer` holds.

    Parameters
    ----------
    values
        ``rates`` or ``offsets``; None to recognise them.

    Raises
    ------
    InputError
        If the answer is an error or empty, or its series do not make a trace.
    """
    listed = _result(path, content)
    if not listed:
        raise InputError(
            f"{path}: the answer of Prometheus has no series; check metric, labels and time of the "
            f"query; {SEE}"
        )
    for item in listed:
        if not isinstance(item, Samples):
            raise InputError(f"{path}: each series must be {_SERIES} (got {shown(item)}); {SEE}")
    labelled = [
        Labelled(item.labels.get("__name__", ""), _plain(item), item.times, item.values)
        for item in listed
    ]
    is_instant = all(item.is_single for item in listed)
    form = f"Prometheus {'query' if is_instant else 'query_range'} JSON"
    return series_trace.of_labelled(Source(path, form, values), labelled)


_SERIES = '{"metric": {…}, "values": [[time, "value"], …]}'


def _plain(item: Samples) -> dict[str, str]:
    return {name: value for name, value in item.labels.items() if name != "__name__"}


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
