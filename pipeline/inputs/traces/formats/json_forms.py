"""JSON files: answers of Prometheus and tools like it, or measurements of the paper's authors."""

from __future__ import annotations

from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.inputs.traces.formats import (
    foreign_json,
    json_content,
    prometheus_json,
    recorded_json,
)
from pipeline.inputs.traces.model import Trace


def read(path: Path, values: str | None = None) -> Trace:
    """Read a JSON file.

    Parameters
    ----------
    values
        ``rates`` or ``offsets``, for answers of Prometheus; None to recognise them.

    Raises
    ------
    InputError
        If it is not JSON or of no known form.
    """
    documents = json_content.parsed(path, recorded_json.FORM, prometheus_json.is_answer)
    if prometheus_json.is_answer(documents[0]):
        foreign_json.check(path, documents[0])
        return prometheus_json.trace(path, documents, values)
    foreign_json.check(path, documents[0])
    if values == "offsets":
        raise InputError(
            f"{path}: --values offsets does not apply to measurements, which are rates"
        )
    return recorded_json.trace(path, documents[0])
