"""Queries of Prometheus, in which names of users are quoted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown

Matchers = Mapping[str, Sequence[str]]
"""Values that a label may have, by its name."""

_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]{0,254}", re.ASCII)
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,254}", re.ASCII)
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")


def check_metric(name: str) -> str:
    """The name of a metric. Raises InputError if Prometheus would take it for something else."""
    if _METRIC.fullmatch(name) is None:
        raise InputError(f"--metric must be the name of a metric (got {shown(name)})")
    return name


def matcher(text: str) -> tuple[str, str]:
    """Name and value of ``NAME=VALUE``. Raises InputError if the name is none of a label."""
    name, mark, value = text.partition("=")
    if not mark or _LABEL.fullmatch(name) is None:
        raise InputError(f"--label must be NAME=VALUE, such as cluster=prod (got {shown(text)})")
    return name, value


def string(text: str) -> str:
    r"""A string of PromQL.

    >>> print(string('a"} or b{x="\\'))
    "a\"} or b{x=\"\\"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r") + '"'


def selector(metric: str, matchers: Matchers) -> str:
    r"""Series of a metric whose labels have one of the values.

    >>> print(selector("lag", {"group": ["a.b"], "topic": ["x.1", "y"]}))
    lag{group="a.b",topic=~"x\\.1|y"}
    """
    return f"{metric}{{{','.join(_match(*item) for item in matchers.items())}}}"


def any_of(metrics: Sequence[str], matchers: Matchers) -> str:
    """Series of several metrics."""
    return selector("", {"__name__": metrics, **matchers})


def _match(label: str, values: Sequence[str]) -> str:
    if len(values) == 1:
        return f"{label}={string(values[0])}"
    return f"{label}=~{string('|'.join(_SPECIAL.sub(_escaped, value) for value in values))}"


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}"


def duration(seconds: float) -> str:
    """A length of time, in whole milliseconds.

    >>> duration(120.0), duration(0.5)
    ('120s', '500ms')
    """
    milliseconds = round(seconds * 1000.0)
    return f"{milliseconds}ms" if milliseconds % 1000 else f"{milliseconds // 1000}s"


def greatest(series: str, *labels: str) -> str:
    """The greatest value of replicas; the metric's name stays, so that values have a meaning."""
    return f"max by ({', '.join(('__name__', *labels))}) ({series})"


def distinct(series: str, label: str) -> str:
    """Number of values that a label has."""
    return f"count(count by ({label}) ({series}))"
