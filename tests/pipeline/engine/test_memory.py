"""How much memory there is, for a process that may be in a container."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

from pipeline.base.process import machine

pytestmark = pytest.mark.unit


def test_a_container_has_what_its_limit_says(tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    physical = machine.memory_gib(limit)
    assert physical > 0.5
    for text, gib in (("268435456\n", 0.25), ("max\n", physical), (f"{2**60}\n", physical)):
        limit.write_text(text)
        assert machine.memory_gib(limit) == gib


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep to the limit")
def test_allocations_beyond_a_share_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    monkeypatch.setattr(machine, "memory_gib", lambda: 1.0)
    with machine.memory_at_most(1 / 2):
        bytearray(2**26)
        with pytest.raises(MemoryError):
            bytearray(2**30)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    bytearray(2**30)
