"""How much memory there is, for a process that may be in a container."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline import machine

pytestmark = pytest.mark.unit


def test_a_container_has_what_its_limit_says(tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    physical = machine.memory_gib(limit)
    assert physical > 0.5
    for text, found in (("268435456\n", 0.25), ("max\n", physical), (f"{2**60}\n", physical)):
        limit.write_text(text)
        assert machine.memory_gib(limit) == found
