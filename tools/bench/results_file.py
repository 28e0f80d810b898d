"""The file of results: one JSON object, to which every benchmark adds its own keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pipeline.base.process import replaced_file


def update(file: Path, parts: Mapping[str, object]) -> None:
    """Write some keys of the file and leave the others as they are.

    file: Created if it does not exist; replaced if it is not a JSON object.
    parts: Keys and their new values, of any JSON type.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**_read(file), **parts}, indent=2, allow_nan=False)
    replaced_file.write_text(file, f"{text}\n")


def _read(file: Path) -> dict[str, object]:
    try:
        content = json.loads(file.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
