"""JSON files: answers of Prometheus and tools like it, or measurements of the paper's authors."""

from __future__ import annotations

import re
from pathlib import Path

from pipeline.inputs.traces.file_head import Head
from pipeline.inputs.traces.formats import (
    foreign_json,
    json_content,
    prometheus_json,
    recorded_json,
)
from pipeline.inputs.traces.rates.long_table import LongTable
from pipeline.inputs.traces.reading import Reading

_LOGGED = re.compile(r"\[[^\[\]{}\"\n]*\][ :]+[A-Za-z(]")
"""A line of a log, which is no JSON though it begins with a bracket."""


def looks_like(head: Head) -> bool:
    """Whether a file is JSON by its name or its first character."""
    has_bracket = head.text.startswith(("[", "{")) and not _LOGGED.match(head.text)
    return has_bracket or head.is_named(".json")


def read(path: Path, reading: Reading) -> LongTable:
    """Read a JSON file. Raises InputError if it is not JSON or of no known form."""
    reading.refuse(path, "timestamps", "JSON, whose times are seconds")
    documents = json_content.parsed(path, recorded_json.FORM, prometheus_json.is_answer)
    foreign_json.check(path, documents[0])
    if prometheus_json.is_answer(documents[0]):
        return prometheus_json.table(path, documents, reading.values)
    return recorded_json.table(path, documents[0])
