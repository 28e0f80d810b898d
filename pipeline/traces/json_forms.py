"""JSON files: answers of Prometheus, or measurements of the paper's authors."""

from __future__ import annotations

from pathlib import Path

from pipeline.errors import InputError
from pipeline.traces import json_content, prometheus_json, recorded_json
from pipeline.traces.model import Trace


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
    content = json_content.parsed(path, recorded_json.FORM)
    if prometheus_json.is_answer(content):
        return prometheus_json.trace(path, content, values)
    if values == "offsets":
        raise InputError(
            f"{path}: --values offsets does not apply to measurements, which are rates"
        )
    return recorded_json.trace(path, content)
