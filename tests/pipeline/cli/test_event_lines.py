"""The table of events in 80 columns."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from algorithms.simulation.incident_figures import Recovery
from algorithms.simulation.incident_kinds import Restart
from algorithms.simulation.incident_times import Incident
from pipeline.cli import event_lines
from pipeline.reporting.sections import numbers

pytestmark = pytest.mark.unit

INCIDENT = Incident("restart", 9_000.0, Restart())
GONE_AFTER = numbers.duration(2_000.0)
AGE = numbers.duration(6.5)


def printed(strategy: str) -> str:
    workload: Any = SimpleNamespace(started_at=None)
    run: Any = SimpleNamespace(
        candidate=SimpleNamespace(label=strategy), recoveries=[Recovery(2_293_605.0, 6.5, 2_000.0)]
    )
    file = io.StringIO()
    console = Console(file=file, width=80, highlight=False, markup=False)
    for part in event_lines.parts(workload, [run], [INCIDENT], 80):
        console.print(part)
    return file.getvalue()


def test_short_names_leave_room_for_all_figures() -> None:
    text = printed("keda_hpa")
    assert all(cell in text for cell in ("2,293,605", AGE, GONE_AFTER))
    assert "Not shown" not in text


def test_a_long_name_takes_the_age_and_the_line_below_says_so() -> None:
    text = printed("constant:initial_replicas=5")
    assert GONE_AFTER in text
    assert AGE not in text
    assert "Not shown for lack of width: greatest age. --json has all figures." in text
    assert max(map(len, text.splitlines())) <= 80
