"""Writes trace files and reads them back, for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.traces import Trace, load


def loaded(folder: Path, text: str | bytes, name: str = "t.csv") -> Trace:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(file)


def refusal(folder: Path, text: str | bytes, name: str = "t.csv") -> str:
    with pytest.raises(InputError) as caught:
        loaded(folder, text, name)
    message = str(caught.value)
    assert message.startswith(f"{folder / name}:")
    assert "\n" not in message
    return message.removeprefix(str(folder / name))
