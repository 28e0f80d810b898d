"""A Prometheus in this process, and calls of the command on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from pipeline.inputs.prometheus import api_client
from tests.pipeline.cli.command import Home, call
from tests.pipeline.inputs.prometheus import fake_prometheus, known_group
from tests.pipeline.inputs.prometheus.fake_prometheus import FakePrometheus

Imports = Callable[..., Result]


@pytest.fixture
def prometheus(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePrometheus]:
    """It tells of `known_group`; whoever asks it is impatient."""
    quick = api_client.PATIENCE._replace(
        silent_s=1.0,
        answer_s=0.5,
        first_pause_s=0.01,
        longest_pause_s=0.02,
        longest_asked_s=0.2,
        answer_bytes=10**6,
    )
    monkeypatch.setattr(api_client, "PATIENCE", quick)
    with fake_prometheus.served(FakePrometheus(known_group.series())) as served:
        yield served


@pytest.fixture
def imports(prometheus: FakePrometheus, home: Home) -> Imports:
    """Imports two hours of `known_group` into a file."""
    assert home.root.is_dir()

    def imported(output: Path, *options: str | Path, until: str = "14:00") -> Result:
        times = ("--since", "2024-05-01T12:00:00Z", "--until", f"2024-05-01T{until}:00Z")
        return call("import", f"prometheus:{prometheus.url}", *times, "-o", output, *options)

    return imported
