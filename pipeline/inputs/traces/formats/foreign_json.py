"""JSON of other tools and web pages, which are not read: messages say what to do."""

from __future__ import annotations

import re
from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.inputs.traces.files import SEE

_TOOLS = {
    "datapoints": "Graphite",
    "Datapoints": "CloudWatch",
    "MetricDataResults": "CloudWatch",
    "pointlist": "Datadog",
    "dps": "OpenTSDB",
    "timeSeriesData": "Google Cloud Monitoring",
    "columns": "InfluxDB",
    "frames": "Grafana's query inspector",
    "__inputs": "a dashboard of Grafana",
    "panels": "a dashboard of Grafana",
    "aggregations": "Elasticsearch",
    "hits": "Elasticsearch",
}
"""Tools by a key of their objects."""
_DEPTH = 6
_PAGE = re.compile(r"<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)


def page(head: str) -> str:
    """Why a page of HTML is no trace, and what to do; empty for other text."""
    if not _PAGE.match(head.lstrip()):
        return ""
    return "is a web page, such as one that asks to log in; repeat the query with the login"


def check(path: Path, content: object) -> None:
    """Raise `InputError` if JSON comes from a tool whose form is not read."""
    tool = _tool(content, _DEPTH)
    if tool is not None:
        raise InputError(
            f"{path}: is JSON of {tool}, which is not read; export a CSV with columns timestamp, "
            f"topic, partition, and rate or offset; {SEE}"
        )


def _tool(content: object, depth: int) -> str | None:
    """Tool of an object, or of the first one inside."""
    if isinstance(content, list):
        return _tool(content[0], depth - 1) if content and depth else None
    if not isinstance(content, dict) or not depth:
        return None
    for key, value in content.items():
        # A topic may have the same name, but holds numbers by partition.
        is_topic = isinstance(value, dict) and all(map(_is_rate, value.values()))
        if key in _TOOLS and not is_topic:
            return _TOOLS[key]
    return next((tool for value in content.values() if (tool := _tool(value, depth - 1))), None)


def _is_rate(value: object) -> bool:
    return value is None or isinstance(value, int | float)
