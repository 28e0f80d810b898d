"""What is said of a controller that another one has taken over from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.experiments.live.faults import fenced_controllers
from tests.pipeline.experiments.live.faults.fault_evidence import folder, note, sent, write_lines

pytestmark = pytest.mark.unit

OLD, NEW = {"pid": 100}, {"pid": 200}
HANDED = note("handed", 8.0, **NEW)
STOPS = [
    sent(7.5, "stop", 0, 1, epoch=1, **OLD),
    sent(12.0, "stop", 1, 1, epoch=1, **NEW),
    sent(12.2, "start", 1, 2, epoch=2, **NEW),
]
OBEYED = [
    note("obeyed", 7.6, kind="stop", left=[[0, 1, 55]], begun=[]),
    note("obeyed", 12.1, kind="stop", left=[[1, 1, 66]], begun=[]),
    note("obeyed", 19.0, kind="end", left=[[2, 1, 77]], begun=[]),
]


def wrong(
    place: Path, entries: list[dict[str, Any]], obeyed: list[dict[str, Any]], status: int = 3
) -> list[str]:
    run = folder(place, *entries)
    write_lines(place / "journal" / "c1-1.jsonl", *obeyed)
    notes = [note("fault", **OLD), note("status", 11.0, status=status)]
    return fenced_controllers.fenced(run, notes)


def test_an_older_controller_that_commands_nothing_any_more(tmp_path: Path) -> None:
    assert wrong(tmp_path / "run", [HANDED, *STOPS], OBEYED) == []


def test_its_status_is_3(tmp_path: Path) -> None:
    (line,) = wrong(tmp_path / "run", [HANDED, *STOPS], OBEYED, status=1)
    assert line == "the first controller ended with 1, not 3"


def test_commands_that_it_says_it_has_sent_are_named(tmp_path: Path) -> None:
    late = sent(8.1, "start", 3, 2, epoch=4, **OLD)
    (line,) = wrong(tmp_path / "run", [HANDED, *STOPS, late], OBEYED)
    assert line.startswith("the first controller sent a start at ")


def test_commands_that_a_consumer_has_obeyed_are_named_whoever_says_so(tmp_path: Path) -> None:
    """It may have been killed before it could write that it had sent them."""
    unknown = note("obeyed", 8.5, kind="start", left=[], begun=[[3, 4, 0]])
    (line,) = wrong(tmp_path / "run", [HANDED, *STOPS], [*OBEYED, unknown])
    assert line == (
        "consumer 1 obeyed a start of partition 3, epoch 4, which the second controller did not "
        "send"
    )


def test_a_second_controller_must_be_at_work(tmp_path: Path) -> None:
    (line,) = wrong(tmp_path / "run", STOPS[:1], OBEYED[:1])
    assert line == "the second controller did nothing"
