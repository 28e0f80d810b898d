"""Small JSON files in which the services' state is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools.console import SetupError


def read(file: Path, remedy: str) -> dict[str, Any]:
    """Content of a file that `tools.services.credentials.write` has written.

    remedy: What to do about a file that is broken.
    Raises SetupError if it is empty or broken, as after a full disk or a power cut; the message has
        the remedy.
    """
    try:
        content = json.loads(file.read_bytes())
    except ValueError:
        content = None
    if not isinstance(content, dict):
        what = "is not complete" if file.stat().st_size else "is empty"
        raise SetupError(f"{file} {what}; {remedy}")
    return content
